import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors/app-error.js';
import type { ErrorCode } from '../../platform/errors/error-codes.js';
import { Tally } from '../../platform/metrics/tally.js';
import { hasCode, isRefusal, type Kind, type Origin } from './outcomes.js';

const BY_ORIGIN = { made: 'accepted', found: 'found', duplicate: 'duplicate', replayed: 'repeated' } as const;

/** How a call that creates an order or a transfer may end. */
export const PLACEMENT_OUTCOMES = [
  ...Object.values(BY_ORIGIN),
  /** The exchange does not take it. */
  'refused',
  /** It may exist. */
  'unknown',
  /** Another call works on it. */
  'in_progress',
  /** None was made, for another reason. */
  'not_sent',
] as const;

/** Limits of a bot that refuse orders, in the order in which they are looked at (contract.md 5.12). */
export const REFUSING_LIMITS = [
  'max_order_risk',
  'max_open_risk',
  'max_daily_risk',
  'max_total_risk',
  'max_position',
  'max_open_orders',
  'max_orders_per_minute',
  'max_price_distance',
  'max_order_seconds',
] as const;

const BY_CODE: Partial<Record<ErrorCode, (typeof PLACEMENT_OUTCOMES)[number]>> = {
  order_outcome_unknown: 'unknown',
  transfer_outcome_unknown: 'unknown',
  idempotency_in_progress: 'in_progress',
};

function outcomeOf(error: unknown): (typeof PLACEMENT_OUTCOMES)[number] {
  if (!(error instanceof AppError)) return 'not_sent';
  const known = BY_CODE[error.code];
  if (known !== undefined) return known;
  if (error.headers['Idempotency-Replayed'] !== undefined) return 'repeated';
  return isRefusal(error) ? 'refused' : 'not_sent';
}

/** Counts calls that create orders and transfers, or change orders, by how they end. */
@Injectable()
export class PlacementCounts {
  readonly order = new Tally(['exchange', 'outcome']);
  readonly transfer = new Tally(['exchange', 'outcome']);
  readonly amend = new Tally(['exchange', 'outcome']);
  /** Calls that a limit of a bot refused in the end. */
  readonly limits = new Tally(['limit']);

  /** Returns and throws what `place` does. */
  async count<Placement extends { readonly origin: Origin }>(
    kind: Kind | 'amend',
    exchange: string,
    place: () => Promise<Placement>,
  ): Promise<Placement> {
    try {
      const placement = await place();
      this[kind].count(exchange, BY_ORIGIN[placement.origin]);
      return placement;
    } catch (error) {
      this[kind].count(exchange, outcomeOf(error));
      if (hasCode(error, 'limit_exceeded')) this.limits.count(error.details?.limit ?? '');
      throw error;
    }
  }
}
