import type { Geoblock } from '../exchange.js';
import { wireGeoblock } from './connection/standing.wire.js';
import type { POLYMARKET_SETTINGS } from './polymarket.settings.js';

/** Polymarket judges the address that orders come from, not their owner (polymarket.md 13). */
export const POLYMARKET_GEOBLOCK: Geoblock = {
  setting: 'POLYMARKET_GEOBLOCK_URL' satisfies keyof typeof POLYMARKET_SETTINGS,
  isBlocked: (body) => wireGeoblock.safeParse(body).data?.blocked ?? null,
};
