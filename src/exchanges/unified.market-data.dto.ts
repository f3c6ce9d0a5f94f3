import { ApiProperty } from '@nestjs/swagger';
import { DECIMAL, EXCHANGE, MAYBE_DECIMAL, MAYBE_INDEX, MAYBE_TEXT, MAYBE_TIME, TIME } from './unified.properties.js';
import { MARKET_STATUSES, INTERVALS, type Interval, type MarketStatus } from './unified.words.js';

/** An outcome as other objects name it (unified-schema.md 1). */
export class OutcomeRefDto {
  @ApiProperty({ description: 'Outcome id.', example: 'KXHIGHNY-26NOV20-B55.5:yes' })
  id: string;

  @ApiProperty({ type: 'integer', enum: [0, 1], example: 0 })
  index: 0 | 1;

  @ApiProperty({ example: 'Yes' })
  label: string;
}

/** One of the two outcomes of a market with its quotes; a side without a quote is null. */
export class OutcomeDto extends OutcomeRefDto {
  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.42' })
  bid: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.44' })
  ask: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.43' })
  last_price: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '13' })
  bid_size: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '17' })
  ask_size: string | null;
}

/** How a market ended. */
export class MarketResultDto {
  @ApiProperty({ ...MAYBE_INDEX, description: 'The winner; null for a split or scalar.' })
  outcome_index: 0 | 1 | null;

  @ApiProperty({ ...MAYBE_DECIMAL, description: 'What outcome 0 pays.', example: '1' })
  settlement_price: string | null;

  @ApiProperty(MAYBE_TIME)
  settled_at: string | null;
}

/** Prices from `start` to `end` move in steps of `step`. */
export class PriceRangeDto {
  @ApiProperty({ ...DECIMAL, example: '0' })
  start: string;

  @ApiProperty({ ...DECIMAL, example: '1' })
  end: string;

  @ApiProperty({ ...DECIMAL, example: '0.01' })
  step: string;
}

export class MarketFeesDto {
  @ApiProperty({ example: 'quadratic' })
  type: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.05' })
  taker_rate: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '1' })
  exponent: string | null;

  @ApiProperty({ type: Boolean, nullable: true })
  taker_only: boolean | null;
}

/** The exchange's own other names of a market; each exchange documents its own (`ExchangeDocs.marketRefs`). */
export class MarketRefsDto {
  readonly [name: string]: string | number | boolean;
}

const QUOTES = { last_price: '0.43', bid_size: '13', ask_size: '17' };
const OUTCOMES = [
  { id: 'KXHIGHNY-26NOV20-B55.5:yes', index: 0, label: 'Yes', bid: '0.42', ask: '0.44', ...QUOTES },
  { id: 'KXHIGHNY-26NOV20-B55.5:no', index: 1, label: 'No', bid: '0.56', ask: '0.58', ...QUOTES, last_price: '0.57' },
];

/** A market: one question with two outcomes (unified-schema.md 2). */
export class MarketDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  id: string;

  @ApiProperty({ ...MAYBE_TEXT, example: 'KXHIGHNY-26NOV20' })
  event_id: string | null;

  @ApiProperty({ ...MAYBE_TEXT, example: 'KXHIGHNY' })
  series_id: string | null;

  @ApiProperty({ example: 'Will the high temp in NYC be 55-56° on Nov 20, 2026?' })
  title: string;

  @ApiProperty({ ...MAYBE_TEXT, example: '55° to 56°' })
  subtitle: string | null;

  @ApiProperty({ ...MAYBE_TEXT, description: 'The rules of resolution.' })
  description: string | null;

  @ApiProperty({ ...MAYBE_TEXT, example: 'Climate and Weather' })
  category: string | null;

  @ApiProperty({ type: [String], example: ['weather'] })
  tags: string[];

  @ApiProperty({ enum: MARKET_STATUSES, example: 'open' })
  status: MarketStatus;

  @ApiProperty({ description: 'Whether orders are accepted now.', example: true })
  tradable: boolean;

  @ApiProperty({ type: [OutcomeDto], minItems: 2, maxItems: 2, example: OUTCOMES })
  outcomes: [OutcomeDto, OutcomeDto];

  @ApiProperty({ type: MarketResultDto, nullable: true, example: null })
  result: MarketResultDto | null;

  @ApiProperty(MAYBE_TIME)
  open_time: string | null;

  @ApiProperty(MAYBE_TIME)
  close_time: string | null;

  @ApiProperty(MAYBE_TIME)
  expected_resolution_time: string | null;

  @ApiProperty(MAYBE_TIME)
  created_at: string | null;

  @ApiProperty(MAYBE_TIME)
  updated_at: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '51873.25' })
  volume: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '44120' })
  volume_24h: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '23190.5' })
  open_interest: string | null;

  @ApiProperty(MAYBE_DECIMAL)
  liquidity: string | null;

  @ApiProperty({ enum: ['contracts', 'currency'], description: 'Unit of both volumes.' })
  volume_unit: 'contracts' | 'currency';

  @ApiProperty({ type: [PriceRangeDto] })
  price_ranges: PriceRangeDto[];

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.01' })
  min_order_size: string | null;

  @ApiProperty({ ...DECIMAL, example: '0.01' })
  size_step: string;

  @ApiProperty({ ...MAYBE_TEXT, description: 'Markets with the same value exclude each other.' })
  mutually_exclusive_group_id: string | null;

  @ApiProperty({ example: 'USD' })
  currency: string;

  @ApiProperty({ type: MarketFeesDto, nullable: true })
  fees: MarketFeesDto | null;

  @ApiProperty(MAYBE_TEXT)
  url: string | null;

  @ApiProperty({
    type: MarketRefsDto,
    example: { ticker: 'KXHIGHNY-26NOV20-B55.5', series_ticker: 'KXHIGHNY', exchange_index: 0 },
  })
  refs: MarketRefsDto;
}

/** The exchange's own other names of an event (`ExchangeDocs.eventRefs`). */
export class EventRefsDto {
  readonly [name: string]: string;
}

/** Where the exchange reads the outcome of an event. */
export class ResolutionSourceDto {
  @ApiProperty({ ...MAYBE_TEXT, example: 'National Weather Service' })
  name: string | null;

  @ApiProperty(MAYBE_TEXT)
  url: string | null;
}

/** An event: markets that belong together (unified-schema.md 3). */
export class EventDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20' })
  id: string;

  @ApiProperty({ ...MAYBE_TEXT, example: 'KXHIGHNY' })
  series_id: string | null;

  @ApiProperty({ example: 'Highest temperature in NYC on Nov 20, 2026?' })
  title: string;

  @ApiProperty(MAYBE_TEXT)
  subtitle: string | null;

  @ApiProperty(MAYBE_TEXT)
  description: string | null;

  @ApiProperty({ ...MAYBE_TEXT, example: 'Climate and Weather' })
  category: string | null;

  @ApiProperty({ type: [String], example: ['weather'] })
  tags: string[];

  @ApiProperty({ enum: MARKET_STATUSES, example: 'open' })
  status: MarketStatus;

  @ApiProperty({ type: Boolean, nullable: true, example: true })
  mutually_exclusive: boolean | null;

  @ApiProperty(MAYBE_TIME)
  start_time: string | null;

  @ApiProperty(MAYBE_TIME)
  end_time: string | null;

  @ApiProperty(MAYBE_TIME)
  updated_at: string | null;

  @ApiProperty(MAYBE_DECIMAL)
  volume: string | null;

  @ApiProperty(MAYBE_DECIMAL)
  volume_24h: string | null;

  @ApiProperty(MAYBE_DECIMAL)
  open_interest: string | null;

  @ApiProperty(MAYBE_DECIMAL)
  liquidity: string | null;

  @ApiProperty({ enum: ['contracts', 'currency'] })
  volume_unit: 'contracts' | 'currency';

  @ApiProperty({ type: [ResolutionSourceDto] })
  resolution_sources: ResolutionSourceDto[];

  @ApiProperty({ type: [MarketDto], nullable: true, description: 'Null where the exchange does not list them here.' })
  markets: MarketDto[] | null;

  @ApiProperty(MAYBE_TEXT)
  url: string | null;

  @ApiProperty({ type: EventRefsDto, example: { ticker: 'KXHIGHNY-26NOV20' } })
  refs: EventRefsDto;
}

export class LevelDto {
  @ApiProperty({ ...DECIMAL, example: '0.42' })
  price: string;

  @ApiProperty({ ...DECIMAL, example: '13' })
  size: string;
}

/** The book of one outcome, both sides best first (unified-schema.md 4). */
export class OrderBookDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ type: OutcomeRefDto })
  outcome: OutcomeRefDto;

  @ApiProperty({ type: [LevelDto], description: 'Best (highest) first.' })
  bids: LevelDto[];

  @ApiProperty({ type: [LevelDto], description: 'Best (lowest) first.', example: [{ price: '0.44', size: '17' }] })
  asks: LevelDto[];

  @ApiProperty(MAYBE_TEXT)
  hash: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.01' })
  tick_size: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '5' })
  min_order_size: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.43', description: 'Of this outcome.' })
  last_price: string | null;
}

/** A public trade (unified-schema.md 5). */
export class TradeDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  /** Described in exchange-docs.ts. */
  @ApiProperty({ example: '0f2d6a4c1b3e58790f2d6a4c1b3e5879' })
  id: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ type: OutcomeRefDto })
  outcome: OutcomeRefDto;

  @ApiProperty({ enum: ['buy', 'sell'] })
  side: 'buy' | 'sell';

  @ApiProperty({ ...DECIMAL, example: '0.42' })
  price: string;

  @ApiProperty({ ...DECIMAL, example: '10' })
  size: string;

  @ApiProperty({ ...DECIMAL, example: '4.2' })
  notional: string;

  @ApiProperty(TIME)
  timestamp: string;

  @ApiProperty({ enum: ['buy', 'sell'] })
  taker_side: 'buy' | 'sell';

  @ApiProperty({ type: Boolean, nullable: true })
  is_block_trade: boolean | null;

  @ApiProperty(MAYBE_TEXT)
  transaction_hash: string | null;
}

export class OhlcDto {
  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.42' })
  open: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.45' })
  high: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.41' })
  low: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.43' })
  close: string | null;
}

/** A candle of one outcome (unified-schema.md 6). `source: price_points` means extremes of sampled prices, not of trades. */
export class CandlestickDto extends OhlcDto {
  @ApiProperty(EXCHANGE)
  exchange: string;

  @ApiProperty({ example: 'KXHIGHNY-26NOV20-B55.5' })
  market_id: string;

  @ApiProperty({ type: OutcomeRefDto })
  outcome: OutcomeRefDto;

  @ApiProperty({ enum: INTERVALS })
  interval: Interval;

  @ApiProperty(TIME)
  start: string;

  @ApiProperty(TIME)
  end: string;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.43' })
  mean: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '0.42' })
  previous_close: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '120' })
  volume: string | null;

  @ApiProperty({ ...MAYBE_DECIMAL, example: '23190.5' })
  open_interest: string | null;

  @ApiProperty({ type: OhlcDto, nullable: true })
  bid: OhlcDto | null;

  @ApiProperty({ type: OhlcDto, nullable: true })
  ask: OhlcDto | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 7 })
  trade_count: number | null;

  @ApiProperty({
    enum: ['trades', 'price_points'],
    description:
      '`trades`: prices are those of trades. `price_points`: made of prices that the exchange ' +
      'samples from time to time, so highs and lows between two samples are lost; a candle of one sample has `close` ' +
      'alone, as most of `1m` do, and volume, open interest, quotes and mean are null.',
  })
  source: 'trades' | 'price_points';

  @ApiProperty({ type: 'integer', nullable: true, description: 'How many price points the candle was made of.' })
  samples: number | null;
}
