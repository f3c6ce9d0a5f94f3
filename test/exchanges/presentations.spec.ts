import 'reflect-metadata';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ExchangeDocs } from '../../src/exchanges/docs.contract.js';
import type { Exchange } from '../../src/exchanges/exchange.js';
import type { ExchangePresentation } from '../../src/exchanges/presentation.contract.js';
import { EXCHANGE_SETTINGS, EXCHANGES } from '../../src/exchanges/exchange.registry.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { supported } from '../../src/exchanges/optional-parts.js';
import { Settings } from '../../src/platform/config/settings.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import { ADAPTER_SETTINGS } from '../support/settings.js';

const settings = Settings.read(ADAPTER_SETTINGS, EXCHANGE_SETTINGS);
const clients = new UpstreamClients(settings);
const ALL = EXCHANGES.map((Installed) => {
  const exchange: Exchange = new Installed(settings, clients, new LongReads(settings));
  const { docs, presentation }: { docs: ExchangeDocs; presentation: ExchangePresentation } = Installed;
  return { id: Installed.id, docs, exchange, presentation };
});

afterAll(() => clients.onApplicationShutdown());

describe('what an exchange says of itself', () => {
  it.each(ALL)(
    '$id has the parts of the contract that its presentation tells of',
    ({ docs, exchange, presentation }) => {
      expect(exchange.name).toBe(docs.name);
      expect(presentation.currency).toBe(exchange.money.currency);
      expect(presentation.session_keys !== null).toBe(exchange.sessionKeys !== undefined);
      expect(docs.sessionKeys !== undefined).toBe(exchange.sessionKeys !== undefined);
      expect(presentation.has_shards).toBe(exchange.listShards !== undefined);
    },
  );

  it.each(ALL)('$id leaves a field of its credentials out by a choice that its form has', ({ presentation }) => {
    const { fields } = presentation.credentials;
    const chosen = new Map(fields.flatMap((field) => (field.kind === 'choice' ? [[field.name, field.options]] : [])));
    const conditions = fields.flatMap((field) =>
      field.kind === 'choice' || field.unless === undefined ? [] : [field.unless],
    );
    for (const { choice, value } of conditions) {
      expect(chosen.get(choice)?.map((option) => option.value)).toContain(value);
    }
    expect(fields.length).toBeGreaterThan(0);
  });
});

it('contract.md 3 a part that an exchange lacks is not_supported, in one place', () => {
  const [complete, lacking] = [ALL[0]?.exchange, ALL[1]?.exchange];
  if (complete === undefined || lacking === undefined) throw new Error('two exchanges are needed');
  expect(supported(complete.transfers, complete, 'transfers')).toBe(complete.transfers);
  expect(() => supported(lacking.transfers, lacking, 'transfers')).toThrow(
    expect.objectContaining({
      code: 'not_supported',
      message: 'Polymarket has no shards to move money between.',
      details: undefined,
    }),
  );
});
