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

/** A list asks for the identity of each of its markets several times, and ids of 256 bits are dear to split. */
const IDENTITIES = new WeakMap<IdentityFields, MarketIdentity | Unidentified>();

/**
 * Returns the identity of a market by its version alone, since V1 markets have position ids too, which name nothing
 * (polymarket.md 10.2). Without a version, ids that fit V1 make it a V1 market; nothing else is guessed.
 */
export function identify(market: IdentityFields): MarketIdentity | Unidentified {
  const known = IDENTITIES.get(market);
  if (known !== undefined) return known;
  const identity = identifyByVersion(market);
  IDENTITIES.set(market, identity);
  return identity;
}

function identifyByVersion(market: IdentityFields): MarketIdentity | Unidentified {
  if (market.version === 'v2') return identifyV2(market);
  return market.version === null || market.version === 'v1' ? identifyV1(market) : 'not_understood';
}

function identifyV1({
  version,
  conditionId,
  outcomes: labels,
  clobTokenIds,
}: IdentityFields): MarketIdentity | Unidentified {
  const outcomes = outcomesOf(labels, clobTokenIds);
  const isWide = conditionId !== null && WIDE_CONDITION_ID.test(conditionId);
  if (isWide && outcomes !== null) {
    const marketId = wideId(conditionId);
    return areTokensOf(marketId, outcomes) ? { protocol: 'v1', marketId, outcomes } : 'not_understood';
  }
  return version === 'v1' && (conditionId === null || isWide) ? 'no_book' : 'not_understood';
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

/**
 * Whether a V1 market can have these tokens: two numbers of 256 bits. One that looks like a V2 market, or like a position of
 * one, is as good as impossible: then the version is wrong or was left out, and its orders would be signed for another contract.
 */
function areTokensOf(marketId: string, outcomes: Outcomes): boolean {
  const [first, second] = outcomes;
  const areTokens = outcomes.every(({ id }) => positionOf(id)?.isV2 === false);
  return areTokens && first.id !== second.id && !isV2Condition(marketId);
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
  const fits = isV2 ? arePositionsOf(conditionId, outcomes) : areTokensOf(conditionId, outcomes);
  if (!fits) throw unknownVersion();
  return { protocol: isV2 ? 'v2' : 'v1', marketId: conditionId, outcomes };
}

/** The error of a market that is not understood (contract.md 5.2). */
export function unknownVersion(): AppError {
  return notSupported(
    'This market of Polymarket is of a version, or has ids, that this service does not know. Trade it at Polymarket.',
    'market_version',
  );
}
