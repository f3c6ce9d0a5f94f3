import type { IdKind } from '../exchange.js';

/** The exchange's id in paths, bodies and stored credentials. */
export const POLYMARKET = 'polymarket';

/** Both money and collateral: the stablecoin pUSD with six decimals (polymarket.md 1). */
export const CURRENCY = 'PUSD';
export const CURRENCY_DECIMALS = 6;

/** Longer digits do not fit Gamma's integers and are taken for a slug. */
export const GAMMA_ID = /^\d{1,18}$/;
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * What clients may send as ids (S-48, unified-schema.md 1): markets by condition id of either width, Gamma id or slug (what begins with `0x` is
 * no slug), events by Gamma id or slug, series by Gamma id, orders by hash.
 */
export const POLYMARKET_IDS: Readonly<Record<IdKind, RegExp>> = {
  market: /^(?:0x(?:[0-9a-fA-F]{62}|[0-9a-fA-F]{64})|(?!0[xX])[A-Za-z0-9][A-Za-z0-9_-]{0,254})$/,
  event: /^[A-Za-z0-9][A-Za-z0-9_-]{0,254}$/,
  series: GAMMA_ID,
  order: /^0x[0-9a-fA-F]{64}$/,
  /** It has none: any id fits, so that reading one says so. */
  transfer: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
};
