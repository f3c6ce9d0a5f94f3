import type { RatePolicy } from '../platform/limits/rate.js';

/** Whatever may try credentials at an exchange, and storing them without a trial alike (S-56). */
export const VERIFY_RATE: RatePolicy = { name: 'verify', limit: 10, windowMs: 60_000 };
