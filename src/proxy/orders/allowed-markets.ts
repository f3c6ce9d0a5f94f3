import type { BotMarket, BotOfKey } from '../../access/principal.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import type { MarketDto } from '../../exchanges/unified.market-data.dto.js';
import { AppError } from '../../platform/errors/app-error.js';

/**
 * Returns by what a bot may trade the market of an order; null for a bot that may trade everything. Throws 403 `forbidden`
 * (`market_not_allowed`) for another market. What the exchange says of a market, its event and its series is read where the order alone
 * does not say that it is allowed; throws what keeps that from being read.
 */
export async function allowedMarket(
  bot: BotOfKey | null,
  exchange: Exchange,
  request: object,
): Promise<BotMarket | null> {
  const markets = bot?.markets ?? null;
  if (markets === null) return null;
  const allowed = markets.filter((one) => one.exchange === exchange.id);
  const found = allowed.length === 0 ? undefined : await find(exchange, allowed, request);
  if (found !== undefined) return found;
  const message = 'This bot may not trade this market. Its owner decides which it may.';
  throw new AppError('forbidden', message, { details: { reason: 'market_not_allowed' } });
}

async function find(
  exchange: Exchange,
  allowed: readonly BotMarket[],
  request: object,
): Promise<BotMarket | undefined> {
  const id = await exchange.marketIdOf(request);
  const named = allowed.find((one) => isMarket(exchange, one, id));
  if (named !== undefined) return named;
  const { value: market } = await exchange.marketData.getMarket(id);
  const known = allowed.find((one) => isMarket(exchange, one, market.id) || isEvent(one, market));
  return known ?? ofSeries(exchange, allowed, market);
}

function isMarket(exchange: Exchange, { market_id: allowed }: BotMarket, id: string): boolean {
  return allowed !== undefined && canonicalId(exchange, 'market', allowed) === canonicalId(exchange, 'market', id);
}

function isEvent({ event_id: allowed }: BotMarket, { event_id: id }: MarketDto): boolean {
  return allowed !== undefined && allowed === id;
}

/** A market whose series could not be read beside it has that of its event. */
async function ofSeries(
  exchange: Exchange,
  allowed: readonly BotMarket[],
  { series_id: known, event_id: eventId }: MarketDto,
): Promise<BotMarket | undefined> {
  const series = allowed.filter((one) => one.series_id !== undefined);
  if (series.length === 0 || (known === null && eventId === null)) return undefined;
  const id = known ?? (await exchange.marketData.getEvent(eventId ?? '')).value.series_id;
  return series.find((one) => one.series_id === id);
}
