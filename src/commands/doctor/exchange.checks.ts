import { Injectable } from '@nestjs/common';
import type { DriftSheet } from '../../exchanges/drift-sheet.js';
import type { Exchange, ExchangeClass, Geoblock } from '../../exchanges/exchange.js';
import { ExchangeRegistry, EXCHANGES } from '../../exchanges/exchange.registry.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type UpstreamClient, UpstreamError, type UpstreamRequest } from '../../platform/upstream/upstream-client.js';
import { UpstreamClients } from '../../platform/upstream/upstream-clients.js';
import { SKEW_WARNING_MS } from '../../platform/upstream/upstream.constants.js';
import { reasonOf } from './failure.js';
import { checkStream } from './stream.check.js';
import { type Check, fail, type Finding, inTime, ok, warn } from './finding.js';

/** From here on, in ms, tokens and links of this service end at wrong times too. */
const FAR_OFF_MS = 60_000;

/** Answers with these statuses are about the caller, not about what was asked. */
const REFUSING: ReadonlySet<number> = new Set([403, 451]);

/** An answer that is no JSON, too long or leads elsewhere is an answer all the same. */
const ANSWERED: ReadonlySet<string> = new Set(['unreadable', 'too_large', 'redirect']);

interface Reached {
  readonly host: string;
  /** Null where it was reached and said nothing of use. */
  readonly status: number | null;
  readonly skewMs: number | null;
}

type Host = Reached | { readonly host: string; readonly reason: string };

function isReached(host: Host): host is Reached {
  return 'skewMs' in host;
}

/** What the answers of one exchange's hosts say of the way to it. */
export function judgeHosts(hosts: readonly Host[]): Finding {
  const lost = hosts.flatMap((host) => (isReached(host) ? [] : [`${host.host}: ${host.reason}`]));
  if (lost.length > 0) {
    return fail(
      `It cannot be reached (${lost.join('; ')}).`,
      'Look at the way out of this machine: DNS, firewall, proxy.',
    );
  }
  const reached = hosts.filter(isReached);
  const refusing = reached.filter(({ status }) => status !== null && REFUSING.has(status));
  if (refusing.length > 0) {
    const names = refusing.map(({ host, status }) => `${host}: status ${status}`).join('; ');
    return fail(
      `It refuses calls from this machine (${names}).`,
      'Run the service where the exchange takes calls from.',
    );
  }
  const ill = reached.filter(({ status }) => status !== null && (status === 429 || status >= 500));
  if (ill.length > 0) {
    const names = ill.map(({ host, status }) => `${host}: status ${status}`).join('; ');
    return warn(`It answers, but is not well (${names}).`, 'Wait, and look at what the exchange says of its state.');
  }
  return ok(`It answers (${hosts.map(({ host }) => host).join(', ')}).`);
}

/** Compares this host's clock with those of the exchanges: where they disagree, the nearest one is believed. */
export function judgeClock(skews: readonly (readonly [host: string, skewMs: number])[]): Finding {
  const [nearest] = [...skews].sort(([, one], [, other]) => Math.abs(one) - Math.abs(other));
  if (nearest === undefined) return warn('The clock could not be compared: no exchange says what time it is.');
  const [host, skewMs] = nearest;
  const gap = `${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${host}`;
  const hint =
    'Let a time service (chrony, systemd-timesyncd) set the clock. Calls to exchanges are signed with their time meanwhile.';
  if (Math.abs(skewMs) > FAR_OFF_MS) return fail(`The clock of this machine is ${gap}.`, hint);
  if (Math.abs(skewMs) > SKEW_WARNING_MS) return warn(`The clock of this machine is ${gap}.`, hint);
  return ok('The clock agrees with those of the exchanges.');
}

type PlainRead = Pick<UpstreamRequest, 'path' | 'query'>;

/**
 * Returns a read that needs no id. Where a host has no such read, returns one that the host refuses for lack of an id,
 * which is an answer too.
 */
function plainRead({ routes }: DriftSheet, base: string): PlainRead {
  const own = routes.filter((route) => route.base === base && !route.path.includes('{'));
  const plain = own.find(({ query = {} }) => !Object.values(query).join('').includes('{'));
  if (plain !== undefined) return { path: plain.path, query: Object.entries(plain.query ?? {}) };
  return { path: own[0]?.path ?? '/time' };
}

function reasonOfCall(error: unknown): string {
  if (!(error instanceof UpstreamError)) return reasonOf(error);
  return error.options.cause === undefined ? error.failure : `${error.failure}, ${reasonOf(error.options.cause)}`;
}

/** Asks the exchanges, without anybody's credentials, whether they are there and whether one may trade from here (contract.md 8.1). */
@Injectable()
export class ExchangeChecks {
  constructor(
    private readonly settings: Settings,
    private readonly clients: UpstreamClients,
    private readonly registry: ExchangeRegistry,
  ) {}

  /** `faulty` are the names of settings that cannot be used. */
  all(faulty: ReadonlySet<string>): Check[] {
    const looks = EXCHANGES.map((exchange) => {
      const wrong = Object.keys(exchange.settings).filter((name) => faulty.has(name));
      return { exchange, wrong, hosts: wrong.length > 0 ? null : this.#reach(exchange) };
    });
    const checks = looks.flatMap(({ exchange, wrong, hosts }): Check[] => {
      const unknown = fail(`It is not known where it is: see ${wrong.join(', ')}.`);
      return [
        { id: exchange.id, run: async () => (hosts === null ? unknown : judgeHosts(await hosts)) },
        {
          id: `${exchange.id}_stream`,
          run: () => (hosts === null ? unknown : checkStream(this.registry.get(exchange.id))),
        },
        { id: `${exchange.id}_trading`, run: () => (hosts === null ? unknown : this.#mayTrade(exchange)) },
      ];
    });
    const clock = async (): Promise<Finding> => {
      const hosts = (await Promise.all(looks.map((look) => look.hosts ?? Promise.resolve([]))))
        .flat()
        .filter(isReached);
      return judgeClock(hosts.flatMap(({ host, skewMs }) => (skewMs === null ? [] : [[host, skewMs] as const])));
    };
    return [{ id: 'clock', run: clock }, ...checks];
  }

  /** One public read at every host that the adapter reads. */
  #reach({ id, settings, drift }: ExchangeClass): Promise<Host[]> {
    const addresses: Readonly<Record<string, unknown>> = this.settings.extension(settings);
    const bases = [...new Set(drift.routes.map(({ base }) => base))];
    return Promise.all(
      bases.map(async (base): Promise<Host> => {
        const baseUrl = String(addresses[base]);
        const { host } = new URL(baseUrl);
        const client = this.clients.create({ name: `${id} ${host}`, baseUrl });
        return this.#read(client, host, plainRead(drift, base));
      }),
    );
  }

  async #read(client: UpstreamClient, host: string, read: PlainRead): Promise<Host> {
    try {
      const { status } = await inTime(client.request({ method: 'GET', ...read }));
      return { host, status, skewMs: client.clock.skewMs };
    } catch (error) {
      if (error instanceof UpstreamError && ANSWERED.has(error.failure)) {
        return { host, status: error.options.status ?? null, skewMs: client.clock.skewMs };
      }
      return { host, reason: reasonOfCall(error) };
    }
  }

  /** Whether orders may come from this machine, and whether they are matched now. */
  async #mayTrade(installed: ExchangeClass): Promise<Finding> {
    const exchange = this.registry.get(installed.id);
    if (exchange.geoblock !== undefined) {
      const finding = await this.#askGeoblock(installed, exchange.geoblock);
      if (finding.status !== 'ok') return finding;
      return (await this.#askShards(exchange)) ?? finding;
    }
    return (await this.#askShards(exchange)) ?? ok('The exchange does not say who may trade; orders tell.');
  }

  async #askGeoblock(exchange: ExchangeClass, { setting, isBlocked }: Geoblock): Promise<Finding> {
    const addresses: Readonly<Record<string, unknown>> = this.settings.extension(exchange.settings);
    const isElsewhere = Object.entries(exchange.settings).some(
      ([name, { fallback }]) => name !== setting && fallback !== addresses[name],
    );
    if (isElsewhere && addresses[setting] === exchange.settings[setting]?.fallback) {
      return ok(`Not asked: this is not the exchange itself, and ${setting} leads there.`);
    }
    const url = new URL(String(addresses[setting]));
    const client = this.clients.create({ name: `${exchange.id} geoblock`, baseUrl: url.origin });
    const host = await inTime(client.request({ method: 'GET', path: url.pathname })).then(
      ({ status, body }) => (status === 200 ? isBlocked(body) : null),
      () => null,
    );
    if (host === null) {
      return warn(`${url.host} does not say whether this machine may trade.`, 'Send a small order to find out.');
    }
    if (!host) return ok('The exchange takes orders from the address of this machine.');
    return fail(
      'The exchange takes no orders from the address of this machine, whoever they are of.',
      'Run the service in a place from which trading is allowed; reading goes on working.',
    );
  }

  /** Null where the exchange does not say. */
  async #askShards(exchange: Exchange): Promise<Finding | null> {
    if (exchange.listShards === undefined) return null;
    try {
      const shards = await inTime(exchange.listShards());
      const paused = shards.filter(({ isTrading }) => !isTrading).map(({ name }) => name);
      if (paused.length === 0)
        return ok(`Trading is open on all shards: ${shards.map(({ name }) => name).join(', ')}.`);
      const where = paused.length === shards.length ? 'all shards' : `shard ${paused.join(', ')}`;
      return warn(`Trading is paused on ${where}.`, 'Orders there are refused until the exchange opens again.');
    } catch (error) {
      const reason = error instanceof AppError ? error.message : reasonOf(error);
      return warn(`The exchange does not say whether trading is open: ${reason}`);
    }
  }
}
