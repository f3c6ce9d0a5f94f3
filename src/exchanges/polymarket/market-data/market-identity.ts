import { AppError } from '../../../platform/errors/app-error.js';
import { notSupported } from '../../upstream-errors.js';
import { CONDITION_ID, isV2Condition, positionOf, type Protocol, WIDE_CONDITION_ID, wideId } from '../position-ids.js';
import type { WireMarket } from './market.wire.js';
import { type Outcomes, outcomesOf } from './outcomes.js';

/** What names a market and its outcomes everywhere at the exchange. */
export interface MarketIdentity {
  readonly protocol: Protocol;
  /** The condition id, in its wide form. */
  readonly marketId: string;
  readonly outcomes: Outcomes;
}

/** Why a market has no identity: no book of two outcomes, or a version or ids that are not understood. */
type Unidentified = 'no_book' | 'not_understood';

type IdentityFields = Pick<WireMarket, 'version' | 'conditionId' | 'outcomes' | 'clobTokenIds' | 'positionIds'>;

/**
 * Returns the identity of a market by its version alone, since V1 markets have position ids too, which name nothing
 * (polymarket-2026.md 2.1). Without a version, ids that fit V1 make it a V1 market; nothing else is guessed.
 */
export function identify(market: IdentityFields): MarketIdentity | Unidentified {
  if (market.version === 'v2') return identifyV2(market);
  if (market.version !== null && market.version !== 'v1') return 'not_understood';
  const { version, conditionId, outcomes: labels, clobTokenIds } = market;
  const outcomes = outcomesOf(labels, clobTokenIds);
  if (conditionId !== null && outcomes !== null && WIDE_CONDITION_ID.test(conditionId)) {
    return { protocol: 'v1', marketId: wideId(conditionId), outcomes };
  }
  const isOld = version === 'v1' && (conditionId === null || WIDE_CONDITION_ID.test(conditionId));
  return isOld ? 'no_book' : 'not_understood';
}

function identifyV2({ conditionId, outcomes: labels, positionIds }: IdentityFields): MarketIdentity | Unidentified {
  const outcomes = outcomesOf(labels, positionIds);
  if (conditionId === null || outcomes === null || !CONDITION_ID.test(conditionId)) return 'not_understood';
  const marketId = wideId(conditionId);
  return arePositionsOf(marketId, outcomes) ? { protocol: 'v2', marketId, outcomes } : 'not_understood';
}

function arePositionsOf(marketId: string, outcomes: Outcomes): boolean {
  return outcomes.every(({ id, index }) => {
    const position = positionOf(id);
    return position?.conditionId === marketId && position.outcomeIndex === index;
  });
}

/** Returns the identity of a market that can be listed, else null. */
export function identityOf(market: IdentityFields): MarketIdentity | null {
  const identity = identify(market);
  return typeof identity === 'string' ? null : identity;
}

/** Returns the identity of a market that was asked for by id. Throws `not_found`, or `not_supported` (`market_version`). */
export function getIdentity(market: IdentityFields | null): MarketIdentity {
  const identity = market === null ? 'no_book' : identify(market);
  if (identity === 'not_understood') throw unknownVersion();
  if (identity === 'no_book') throw new AppError('not_found', 'Polymarket has no market with this id.');
  return identity;
}

/**
 * Returns the identity of a market by what the CLOB says of it, whose order of V1 outcomes need not be Gamma's. Null where it has
 * other than two outcomes. Throws `not_supported` (`market_version`).
 */
export function identityAtClob(
  conditionId: string,
  version: string | null,
  tokens: readonly { readonly id: string; readonly label: string }[],
): MarketIdentity | null {
  const isV2 = version === 'v2';
  if (version !== null && version !== 'v1' && !isV2) throw unknownVersion();
  const places = (id: string): number => positionOf(id)?.outcomeIndex ?? 0;
  const inOrder = isV2 ? tokens.toSorted((one, other) => places(one.id) - places(other.id)) : tokens;
  const outcomes = outcomesOf(
    inOrder.map(({ label }) => label),
    inOrder.map(({ id }) => id),
  );
  if (outcomes === null) return null;
  // A V1 market of such a name is as good as impossible: then the version was left out by mistake.
  const fits = isV2 ? arePositionsOf(conditionId, outcomes) : !isV2Condition(conditionId);
  if (!fits) throw unknownVersion();
  return { protocol: isV2 ? 'v2' : 'v1', marketId: conditionId, outcomes };
}

function unknownVersion(): AppError {
  return notSupported(
    'This market of Polymarket is of a version, or has ids, that this service does not know. Trade it at Polymarket.',
    'market_version',
  );
}
