import {
  IsBoolean,
  IsIn,
  Matches,
  Validate,
  ValidateIf,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { ExpiryConstraint, PriceConstraint, SizeConstraint } from '../../order-fields.js';
import type { PlainOrder } from '../../plain-order.dto.js';
import { type Side, SIDES, TIMES_IN_FORCE, type TimeInForce } from '../../unified.trading.dto.js';
import { KALSHI_IDS } from '../kalshi.ids.js';
import { findOutcome } from '../market-data/outcomes.js';

@ValidatorConstraint({ name: 'isOutcome' })
class OutcomeConstraint implements ValidatorConstraintInterface {
  validate(value: unknown, { object }: ValidationArguments): boolean {
    const marketId = object instanceof KalshiOrderRequestDto ? (object.market_id as unknown) : undefined;
    const isName = typeof value === 'string' || typeof value === 'number';
    return isName && findOutcome(typeof marketId === 'string' ? marketId : '', value) !== null;
  }

  defaultMessage(): string {
    return 'must be 0, 1, "yes", "no" or the id of an outcome of this market';
  }
}

/**
 * Body of `POST /kalshi/orders` (unified-schema.md 7), which `PlainOrder` documents. The proxy signs and sends it with the stored
 * credentials.
 */
export class KalshiOrderRequestDto implements PlainOrder {
  @Matches(KALSHI_IDS.market, { message: 'must be the ticker of a market' })
  market_id: string;

  @Validate(OutcomeConstraint)
  outcome: string | number;

  @IsIn(SIDES, { message: `must be one of ${SIDES.join(', ')}` })
  side: Side;

  @Validate(PriceConstraint)
  price: string;

  @Validate(SizeConstraint)
  size: string;

  @IsIn(TIMES_IN_FORCE, { message: `must be one of ${TIMES_IN_FORCE.join(', ')}` })
  time_in_force: TimeInForce = 'gtc';

  @ValidateIf((body: KalshiOrderRequestDto) => body.post_only !== undefined)
  @IsBoolean({ message: 'must be true or false' })
  post_only?: boolean;

  @ValidateIf((body: KalshiOrderRequestDto) => body.reduce_only !== undefined)
  @IsBoolean({ message: 'must be true or false' })
  reduce_only?: boolean;

  @Validate(ExpiryConstraint)
  expires_at?: string;

  @ValidateIf((body: KalshiOrderRequestDto) => body.client_order_id !== undefined)
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, - or _' })
  client_order_id?: string;
}
