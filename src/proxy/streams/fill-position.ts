import { z } from 'zod';
import type { FillDto } from '../../exchanges/unified.trading.dto.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { badField } from '../../platform/errors/app-error.js';

/** Characters of a digest: of 48 bits. */
const DIGEST = 8;
/** Characters of the seconds from a pending fill to the time of its position, in base 36. */
const AGE = 5;
const BASE = 36;
/** Fills that a position names: the newest of those that may fail yet, and of the others. */
const [MOST_PENDING, MOST_RECENT] = [50, 32];
/** Fills that may fail yet and are remembered: of those that are not named the oldest is where a client goes on. */
const MOST_REMEMBERED = 1_000;
const SECOND_MS = 1_000;

const POSITION = z.object({
  a: z.string().length(DIGEST),
  f: z.string().length(DIGEST),
  t: z.number().int().nonnegative(),
  n: z.string().max(DIGEST * MOST_RECENT),
  p: z.string().max((DIGEST + AGE) * MOST_PENDING),
});

/** Where a client goes on: what it has been told, of which account and by which filters; digests are of 48 bits. */
export interface SavedPosition {
  readonly account: string;
  readonly filters: string;
  /** All before was told; Unix milliseconds. */
  readonly timeMs: number;
  /** Digests of the ids of fills that were told as they ended, the newest. */
  readonly recent: readonly string[];
  /** Of those that were told as pending, with their time to the second. */
  readonly pending: readonly (readonly [digest: string, timeMs: number])[];
}

/** Returns 48 bits of the SHA-256 of a text, as URL-safe base64. */
export function shortDigest(text: string): string {
  return sha256(text).toString('base64url').slice(0, DIGEST);
}

/** Reads the `position` of a line of fills; null for a new start. Throws `bad_request` for one that this version did not write. */
export function readPosition(value: unknown): SavedPosition | null {
  if (value === null) return null;
  const { data } = POSITION.safeParse(value);
  if (data === undefined) throw badField('Last-Event-ID', 'must be the id of a message that you were sent');
  return {
    account: data.a,
    filters: data.f,
    timeMs: data.t,
    recent: parts(data.n, DIGEST),
    pending: parts(data.p, DIGEST + AGE).map((part) => [part.slice(0, DIGEST), timeBefore(data.t, part.slice(DIGEST))]),
  };
}

/** Fills that a reader has been told, as far as a client has to say where it goes on. Its JSON is shorter than 1 KiB. */
export class FillPosition {
  readonly #recent = new Set<string>();
  readonly #pending = new Map<string, number>();

  /** Begins where the client left off, where it did. */
  constructor(
    private readonly account: string,
    private readonly filters: string,
    saved: SavedPosition | null,
  ) {
    if (saved?.account !== account || saved.filters !== filters) return;
    for (const digest of saved.recent) this.#recent.add(digest);
    for (const [digest, timeMs] of saved.pending) this.#pending.set(digest, timeMs);
  }

  /** Notes a fill as it was told. */
  note({ id, status, timestamp }: FillDto): void {
    const digest = shortDigest(id);
    this.#pending.delete(digest);
    this.#recent.delete(digest);
    if (status === 'pending') this.#pending.set(digest, Date.parse(timestamp));
    else this.#recent.add(digest);
    dropOldest(this.#pending, MOST_REMEMBERED);
    dropOldest(this.#recent, MOST_RECENT);
  }

  /** Whether a fill was told in this state, or a later one. */
  hasTold({ id, status }: FillDto): boolean {
    const digest = shortDigest(id);
    return this.#recent.has(digest) || (status === 'pending' && this.#pending.has(digest));
  }

  /** As `OpenLine.position`, all before `timeMs` being told but for how fills end that are not named. */
  at(timeMs: number): object {
    const all = [...this.#pending];
    const unnamed = all.slice(0, -MOST_PENDING).map(([, ms]) => ms);
    const t = Math.max(0, Math.min(timeMs, ...unnamed));
    const pending = all.slice(-MOST_PENDING).map(([digest, ms]) => digest + ageOf(t, ms));
    return { a: this.account, f: this.filters, t, n: [...this.#recent].join(''), p: pending.join('') };
  }
}

function dropOldest(all: Set<string> | Map<string, number>, most: number): void {
  const [oldest] = all.keys();
  if (all.size > most && oldest !== undefined) all.delete(oldest);
}

/** Seconds from a fill to the time of the position; of a later one 0. */
function ageOf(timeMs: number, fillMs: number): string {
  const seconds = Math.max(0, Math.floor(timeMs / SECOND_MS) - Math.floor(fillMs / SECOND_MS));
  return Math.min(seconds, BASE ** AGE - 1)
    .toString(BASE)
    .padStart(AGE, '0');
}

function timeBefore(timeMs: number, age: string): number {
  return (Math.floor(timeMs / SECOND_MS) - Number.parseInt(age, BASE)) * SECOND_MS;
}

function parts(text: string, length: number): string[] {
  return Array.from({ length: Math.floor(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
}
