/** What the runner tells every subject. */
export const PORT = Number(process.env.PORT);
export const UPSTREAM_PORT = Number(process.env.UPSTREAM_PORT);
export const DATABASE_URL = process.env.BENCH_DATABASE_URL;

/** How long a peer trusts what it knows of a key, as this service does by default. */
export const KEY_CACHE_MS = 1_000;

/** What the upstream's API begins with. */
export const API = '/trade-api/v2';
