import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { readEvent } from '../../src/exchanges/kalshi/market-data/event.mapper.js';
import { readEvent as readOther } from '../../src/exchanges/polymarket/market-data/event.mapper.js';
import type { EventDto } from '../../src/exchanges/unified.market-data.dto.js';
import { entryOf } from '../../src/catalogue/catalogue-rows.js';

const still = (): Promise<void> => Promise.resolve();

function anEvent(markets: number, text: string, figures: Readonly<Record<string, unknown>> = {}): EventDto {
  const event = readEvent({
    event_ticker: 'KXE',
    title: text,
    sub_title: text,
    category: text,
    markets: Array.from({ length: markets }, (_, at) => ({
      ...{ ticker: `KXE-${at}`, event_ticker: 'KXE', status: 'active', market_type: 'binary' },
      ...{ title: text, yes_sub_title: text, no_sub_title: text },
      ...{ open_time: '2026-01-01T00:00:00Z', close_time: '2027-01-01T00:00:00Z' },
      ...figures,
    })),
  });
  if (event === null) throw new Error('the event does not fit');
  return Object.assign(event, { tags: Array.from({ length: 5_000 }, (_, at) => `${at} ${text.slice(0, 5_000)}`) });
}

function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

describe('rows of the catalogue (contract.md 5.19)', () => {
  it('of 1,000 markets with huge texts hold the event loop for 20 ms at most, and are small', async () => {
    const event = anEvent(1_000, 'Ünder $100,000 U.S. fed '.repeat(12_000));
    for (const market of event.markets ?? []) market.tags = event.tags;
    const longest: number[] = [];
    let entry = await entryOf(anEvent(1, 'warm'), still);
    // Time of the processor, and the best of three: others use the machine too.
    for (let round = 0; round < 3; round += 1) {
      const stretches: number[] = [];
      let since = process.cpuUsage();
      const breathe = async (): Promise<void> => {
        stretches.push(usedMs(since));
        await nextTurn();
        since = process.cpuUsage();
      };
      entry = await entryOf(event, breathe);
      stretches.push(usedMs(since));
      expect(stretches.length).toBeGreaterThan(1_000);
      longest.push(Math.max(...stretches));
    }
    const { markets, event: row } = entry;
    expect(markets).toHaveLength(1_000);
    expect(Math.min(...longest)).toBeLessThan(20);
    expect(Math.max(...markets.map(({ shown }) => shown.length), row?.shown.length ?? 0)).toBeLessThan(30_000);
  });

  it.each([undefined, null, []])('are not of an open event whose markets are %j: it is unread', (markets) => {
    expect(readEvent({ event_ticker: 'KXE', title: 'x', markets })).toBeNull();
    expect(readOther({ id: '1', title: 'x', markets })).toBeNull();
  });

  it('have the same digest while only what moves each minute differs', async () => {
    const digestOf = async (figures: Readonly<Record<string, unknown>>) =>
      (await entryOf(anEvent(1, 'Fed', figures), still)).markets[0]?.digest;
    const first = await digestOf({ volume_24h_fp: '1000.00', open_interest_fp: '5.00', volume_fp: '9000.00' });
    expect(await digestOf({ volume_24h_fp: '1001.00', open_interest_fp: '6.00', volume_fp: '9001.00' })).toBe(first);
    expect(await digestOf({ volume_24h_fp: '2000.00' })).not.toBe(first);
    expect(await digestOf({ volume_24h_fp: '1000.00', close_time: '2027-02-01T00:00:00Z' })).not.toBe(first);
  });
});
