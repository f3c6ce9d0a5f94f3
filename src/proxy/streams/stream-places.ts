import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { AppError } from '../../platform/errors/app-error.js';
import { Settings } from '../../platform/config/settings.js';

/** Of the streams of a user, so many are kept for sessions: a program cannot keep its owner's dashboard out. */
const KEPT_FOR_SESSIONS = 5;
/** A user has so many places, however many others have taken. */
const LEAST_PER_USER = 20;

/** Who asks for a place. */
export interface PlaceOwner {
  readonly kind: Principal['kind'];
  readonly userId: string;
  /** Of the key or the session. */
  readonly name: string;
  readonly hasCredentials: boolean;
}

/** How many streams this instance has, and whose they are: no user can take all of them (S-61). */
@Injectable()
export class StreamPlaces {
  readonly #byName = new Map<string, number>();
  readonly #byUser = new Map<string, number>();
  readonly #keysByUser = new Map<string, number>();
  #strangers = 0;
  #all = 0;

  constructor(private readonly settings: Settings) {}

  /** Takes a place until what is returned is called. Throws `rate_limited` with reason `streams`, and `service_unavailable`. */
  take(owner: PlaceOwner): () => void {
    const { userId, name, kind, hasCredentials } = owner;
    this.#check(owner);
    const counts: [Map<string, number>, string][] = [
      [this.#byName, name],
      [this.#byUser, userId],
      ...(kind === 'api-key' ? ([[this.#keysByUser, userId]] as [Map<string, number>, string][]) : []),
    ];
    const count = (by: 1 | -1): void => {
      this.#all += by;
      if (!hasCredentials) this.#strangers += by;
      for (const [map, key] of counts) add(map, key, by);
    };
    count(1);
    let isTaken = true;
    return () => {
      if (isTaken) count(-1);
      isTaken = false;
    };
  }

  #check(owner: PlaceOwner): void {
    const { streamsMax } = this.settings;
    if (this.#isOwnShareTaken(owner)) throw tooMany();
    const isStrangersShareTaken = !owner.hasCredentials && this.#strangers >= Math.ceil(streamsMax / 2);
    if (this.#all >= streamsMax || isStrangersShareTaken) {
      throw new AppError('service_unavailable', 'This instance has as many streams as it can. Try again later.');
    }
  }

  #isOwnShareTaken({ userId, name, kind }: PlaceOwner): boolean {
    const { streamsPerKey, streamsPerUser, streamsMax } = this.settings;
    const own = this.#byUser.get(userId) ?? 0;
    const share = Math.max(LEAST_PER_USER, Math.floor((streamsMax - (this.#all - own)) / 4));
    if ((this.#byName.get(name) ?? 0) >= streamsPerKey || own >= Math.min(streamsPerUser, share)) return true;
    if (kind === 'session' || streamsPerUser <= KEPT_FOR_SESSIONS) return false;
    return (this.#keysByUser.get(userId) ?? 0) >= streamsPerUser - KEPT_FOR_SESSIONS;
  }
}

function tooMany(): AppError {
  return new AppError('rate_limited', 'You have too many streams open. Close one, or ask for more markets in one.', {
    details: { reason: 'streams' },
  });
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
