import { z } from 'zod';

/* What Polymarket says of who may trade: the calling address, and the account of an API key (polymarket.md 13). */

export const wireGeoblock = z.object({ blocked: z.boolean() });

/** Null where the exchange does not say. */
export const wireClosedOnly = z.object({ closed_only: z.boolean().nullable().catch(null) });
