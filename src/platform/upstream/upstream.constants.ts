import type { JsonBounds } from '../json/json-bounds.js';

/** Fixed values of calls to other servers (contract.md 5.5; ). Only `UPSTREAM_TIMEOUT` and the cache are settings. */

/** Product name of every call (S-49); the version is package.json's, which a test holds it to. */
export const USER_AGENT = 'trading-proxy/0.1.0';

export const CONNECT_TIMEOUT_MS = 2_000;
export const HEADERS_TIMEOUT_MS = 5_000;

/**
 * What our own queue must leave of a call's time: without the least share it is not sent at all, since an exchange that is
 * well would not answer in time either; without a fair share (all that the header lines may take, or half of a shorter
 * time) its time-out says nothing about the exchange. So a burst does not open the breaker of an exchange that is well, and
 * one that hangs still does, by the calls that did not wait.
 */
export const LEAST_SHARE = 0.1;
export const FAIR_SHARE = 0.5;

/** After decompression, and before it. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;

/**
 * The most that JSON of an answer may hold, so that reading it takes no longer than 50 ms (S-53): some ten times what is in a page
 * of events with 5,000 markets, 20,000 levels of a book, or 10,000 candles, and texts longer than any rules of a market.
 */
export const ANSWER_BOUNDS: JsonBounds = {
  levels: 32,
  members: 250_000,
  names: 5_000,
  elements: 100_000,
  textBytes: 256 * 1024,
};
/** The most that one frame of a stream may hold: both sides of a full book, or books of many markets. */
export const FRAME_BOUNDS: JsonBounds = {
  levels: 32,
  members: 125_000,
  names: 1_000,
  elements: 62_500,
  textBytes: 256 * 1024,
};
/** Smaller answers and frames are not counted: whatever they hold, they are read in time. */
export const COUNTED_BYTES = 128 * 1024;

export const MAX_IN_FLIGHT = 50;
export const MAX_WAITING = 1_024;

/** How long an idle connection is kept where the server does not say. */
export const KEEP_ALIVE_MS = 30_000;
/** The most that a server's own `Keep-Alive` is trusted. */
export const KEEP_ALIVE_MAX_MS = 60_000;

export const BREAKER_WINDOW_MS = 10_000;
export const BREAKER_MIN_CALLS = 20;
/** The fewest calls of others than any one caller, and failures among them, that stop all callers. */
export const BREAKER_MIN_OTHERS = 10;
export const BREAKER_FAILURE_SHARE = 0.5;
export const BREAKER_OPEN_MS = 5_000;
/** How many callers have a trial call at once after that; of cancels, every caller has one. */
export const BREAKER_MAX_TRIALS = 5;
/** Callers that are remembered. */
export const BREAKER_MAX_CALLERS = 1_000;

/** The one retry waits a random part of this. */
export const RETRY_JITTER_MS = 200;
/** Retries that each call earns. */
export const RETRY_SHARE = 0.1;
/** Retries that may be saved up; also what a quiet client starts with. */
export const RETRY_SAVINGS = 10;

/** Pause of public reads of one host after a 429 that names none, and the most that any answer may ask for. */
export const DEFAULT_PAUSE_SECONDS = 1;
export const MAX_PAUSE_SECONDS = 60;

export const CACHE_MAX_ENTRIES = 1_000;
export const CACHE_MAX_BYTES = 64 * 1024 * 1024;

/** A gap between the clocks from which on it is worth a warning. */
export const SKEW_WARNING_MS = 2_000;

/** Nothing is sent where more time, in ms, has passed since its record began to say that it is. */
export const MAX_SEND_DELAY_MS = 5_000;
