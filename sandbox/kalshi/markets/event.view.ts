import { isoSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { type Exchange } from '../exchange.js';
import { type FeeRule } from '../fees/fee.js';
import { count, isoMicros } from '../format.js';
import { type Market } from '../market.js';
import { type EventSeed, type SeriesSeed } from '../seeds/seed.js';
import { toMarketJson } from './market.view.js';

/** `EventData`; with `nested`, its live markets inside (no such key where all are archived, kalshi.md 4). */
export function toEventJson(exchange: Exchange, event: EventSeed, nested: { now: number } | undefined) {
  const { strike } = event;
  const live = liveMarketsOf(exchange, event);
  const fee = exchange.fees.ofEvent(event.ticker);
  return {
    event_ticker: event.ticker,
    series_ticker: event.series.ticker,
    sub_title: event.subtitle,
    title: event.title,
    collateral_return_type: event.mutuallyExclusive ? 'MECNET' : '',
    mutually_exclusive: event.mutuallyExclusive,
    category: event.series.category,
    ...('period' in strike
      ? { strike_period: strike.period }
      : { strike_date: isoSeconds(exchange.startedAt + strike.dateOffset) }),
    ...(nested === undefined || live.length === 0
      ? {}
      : { markets: live.map((market) => toMarketJson(market, nested.now)) }),
    product_metadata: {},
    ...(fee === undefined ? {} : { fee_type_override: fee.type, fee_multiplier_override: multiplierOf(fee) }),
    settlement_sources: [event.series.source],
    last_updated_ts: isoMicros(lastUpdate(exchange, event)),
    exchange_index: event.shard,
  };
}

/** `Series`; its volume only where it is asked for. */
export function toSeriesJson(exchange: Exchange, series: SeriesSeed, withVolume: boolean) {
  const markets = [...exchange.markets.values()].filter(({ seed }) => seed.event.series === series);
  const fee = exchange.fees.ofSeries(series);
  const volume = markets.reduce((sum, market) => sum + market.volumeSince(0), 0n);
  return {
    ticker: series.ticker,
    frequency: series.frequency,
    title: series.title,
    category: series.category,
    categories: [series.category],
    tags: series.tags,
    settlement_sources: [series.source],
    contract_url: `https://kalshi-public-docs.s3.amazonaws.com/regulatory/${series.ticker}.pdf`,
    contract_terms_url: `https://kalshi-public-docs.s3.amazonaws.com/contract_terms/${series.ticker}.pdf`,
    product_metadata: null,
    fee_type: fee.type,
    fee_multiplier: multiplierOf(fee),
    additional_prohibitions: [],
    ...(withVolume ? { volume_fp: count(volume) } : {}),
    last_updated_ts: isoMicros(Math.max(...markets.map((market) => market.updatedTime))),
    exchange_index: series.shard,
  };
}

function multiplierOf({ multiplier }: FeeRule): number {
  return Number(multiplier) / Number(ONE);
}

export function liveMarketsOf(exchange: Exchange, event: EventSeed): Market[] {
  return exchange.marketsOf(event).filter((market) => !market.isArchived(exchange.cutoff));
}

/** When the event's own data last changed, ms. */
export function lastUpdate(exchange: Exchange, event: EventSeed): number {
  return Math.max(...exchange.marketsOf(event).map((market) => market.updatedTime));
}
