import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contextOf, toEvent } from './event.mapper.js';
import { wireEventPage, type WireMarket, wireOneEvent, wireOneMarket } from './market.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

const { market: OPEN } = wireOneMarket.parse(sample('market'));
const market = (change: Partial<WireMarket> = {}): WireMarket => ({ ...OPEN, ...change });

describe('toEvent', () => {
  it.each(['event', 'event-nested'])('unified-schema.md 3 maps the sample %s with its markets', (name) => {
    const { event, markets } = wireOneEvent.parse(sample(name));
    const mapped = toEvent(event, event.markets ?? markets ?? null, 'settled');
    expect(mapped).toMatchObject({ exchange: 'kalshi', status: 'open', mutually_exclusive: true });
    expect(mapped.markets).toHaveLength(3);
    expect(mapped.markets?.[0]).toMatchObject({
      event_id: mapped.id,
      series_id: mapped.series_id,
      category: mapped.category,
      mutually_exclusive_group_id: mapped.id,
    });
  });

  it('unified-schema.md 3 maps an event field by field', () => {
    const { event } = wireOneEvent.parse(sample('event'));
    expect(toEvent(event, null, 'open')).toEqual({
      exchange: 'kalshi',
      id: 'KXHIGHNY-26NOV20',
      series_id: 'KXHIGHNY',
      title: 'Highest temperature in NYC on Nov 20, 2026?',
      subtitle: 'On Nov 20, 2026',
      description: null,
      category: 'Climate and Weather',
      tags: [],
      status: 'open',
      mutually_exclusive: true,
      start_time: null,
      end_time: '2026-11-20T05:00:00.000Z',
      updated_at: '2026-11-19T15:00:00.151Z',
      volume: null,
      volume_24h: null,
      open_interest: null,
      liquidity: null,
      volume_unit: 'contracts',
      resolution_sources: [
        {
          name: 'National Weather Service',
          url: 'https://forecast.weather.gov/product.php?site=OKX&product=CLI&issuedby=NYC',
        },
      ],
      markets: null,
      url: null,
      refs: { ticker: 'KXHIGHNY-26NOV20' },
    });
  });

  it('unified-schema.md 3 is as open as the most open of its markets, else as it was listed', () => {
    const [event] = wireEventPage.parse(sample('events-list')).items;
    if (event === undefined) throw new Error('no event in the sample');
    const status = (...statuses: WireMarket['status'][]) =>
      toEvent(
        event,
        statuses.map((one) => market({ status: one })),
        'unopened',
      ).status;
    expect(status('finalized', 'determined', 'active')).toBe('open');
    expect(status('finalized', 'inactive')).toBe('paused');
    expect(status('finalized', 'determined')).toBe('closed');
    expect(status('finalized')).toBe('settled');
    expect(status()).toBe('unopened');
  });

  it('tells its own fees only where it overrides those of the series', () => {
    const { event } = wireOneEvent.parse(sample('event'));
    expect(contextOf(event).feeType).toBeNull();
    expect(contextOf({ ...event, fee_type_override: 'flat' }).feeType).toBe('flat');
  });
});
