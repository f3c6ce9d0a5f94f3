import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors/app-error.js';
import { OWN_CHANNELS, type Subscription } from './channel.contract.js';
import type { PlaceOwner } from './stream-places.js';

/** Markets of one exchange that one user's streams follow: a quarter of what an instance watches. */
const MOST_PER_USER = 500;
/** The same of all keys of a user: a bot cannot keep its owner's dashboard out. */
const MOST_OF_KEYS = 450;
/** The same of all users without stored credentials together: half of it. */
const MOST_OF_STRANGERS = 1_000;

/** What is counted apart: a user, the keys of a user, and all users without stored credentials. */
interface Sharer {
  readonly name: string;
  readonly most: number;
  readonly refuse: () => AppError;
}
const STRANGERS: Sharer = { name: '', most: MOST_OF_STRANGERS, refuse: allTaken };

/** Which markets the streams of each user follow, so that nobody takes all that an instance can watch (S-61). */
@Injectable()
export class MarketShares {
  /** How many streams follow each market, by sharer and exchange. */
  readonly #followed = new Map<string, Map<string, number>>();

  /** Counts the markets of a stream until what is returned is called. Throws `rate_limited` and `service_unavailable`. */
  take({ userId, kind, hasCredentials }: PlaceOwner, subscriptions: readonly Subscription[]): () => void {
    const sharers: Sharer[] = [{ name: userId, most: MOST_PER_USER, refuse: ownTaken }];
    if (kind === 'api-key') sharers.push({ name: `keys of ${userId}`, most: MOST_OF_KEYS, refuse: ownTaken });
    if (!hasCredentials) sharers.push(STRANGERS);
    const taken: [name: string, marketId: string][] = [];
    const release = (): void => {
      for (const [name, marketId] of taken.splice(0)) this.#leave(name, marketId);
    };
    try {
      for (const { exchange, channel, marketIds } of subscriptions) {
        if (OWN_CHANNELS.includes(channel)) continue;
        for (const sharer of sharers) {
          for (const marketId of marketIds) taken.push(this.#follow(sharer, exchange.id, marketId));
        }
      }
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  #follow(sharer: Sharer, exchangeId: string, marketId: string): [string, string] {
    const name = `${exchangeId} ${sharer.name}`;
    const markets = this.#followed.get(name) ?? new Map<string, number>();
    const streams = markets.get(marketId) ?? 0;
    if (streams === 0 && markets.size >= sharer.most) throw sharer.refuse();
    this.#followed.set(name, markets);
    markets.set(marketId, streams + 1);
    return [name, marketId];
  }

  #leave(name: string, marketId: string): void {
    const markets = this.#followed.get(name);
    const streams = (markets?.get(marketId) ?? 1) - 1;
    if (streams > 0) markets?.set(marketId, streams);
    else markets?.delete(marketId);
    if (markets?.size === 0) this.#followed.delete(name);
  }
}

function ownTaken(): AppError {
  return new AppError('rate_limited', 'Your streams follow as many markets of this exchange as they may. Close one.', {
    details: { reason: 'streams' },
  });
}

function allTaken(): AppError {
  return new AppError('service_unavailable', 'This instance watches as many markets as it can. Try again later.');
}
