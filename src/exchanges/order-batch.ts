import type { BeforeSend } from './before-send.js';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_SEND_DELAY_MS } from '../platform/upstream/upstream.constants.js';
import { longerThan } from '../platform/time/held-up.js';
import { UpstreamError, type UpstreamResponse } from '../platform/upstream/upstream-client.js';

/** As many as every exchange takes at once. */
export const MOST_ORDERS_OF_BATCH = 15;

/** Sendings that begin at once; fewer of a bot, whose limits let one after the other through (contract.md 5.12). */
const BEGIN_AT_ONCE = 5;
const BEGIN_AT_ONCE_IN_TURN = 2;

/** One order of a batch, as it is about to be sent. */
export interface BatchItem {
  /** The JSON text of the order; made only when the call leaves, since it may name an API key (S-39). */
  readonly body: () => string;
  /** The name by which the answer may tell the order: its client order id, or its hash. */
  readonly name: string;
  readonly beforeSend: BeforeSend | undefined;
}

/** How an exchange takes several orders in one call. */
export interface BatchCall {
  /** Who signs the call; orders of one signer and kind leave together. */
  readonly signer: object;
  readonly kind: string;
  /** The most orders of a call, where so many are to leave. */
  readonly most: (count: number) => number;
  /** How long, in ms, the exchange wants to be left alone for each order of a further call. */
  readonly pauseMs: number;
  /**
   * Sends once: awaits `begin` when the call has its place, for the orders that leave with it. Returns what the exchange answers to one of them, as the answer
   * to a call for that order alone; what that throws is thrown for the order, and what `send` throws for all.
   */
  send(begin: () => Promise<readonly BatchItem[]>): Promise<(item: BatchItem) => UpstreamResponse>;
}

/** Waits for the turn of whoever sends, before a call waits for its place; returns the function that ends the turn. Null where nobody waits. */
export type Enter = (() => Promise<() => void>) | null;

/** What one order of a batch has of it. */
export interface BatchSeat {
  /** Sends it with the others. Returns the answer to this order; throws what its own `beforeSend` throws, and what its call does. */
  send(call: BatchCall, item: BatchItem): Promise<UpstreamResponse>;
  /** Whose turn each call waits for. */
  waitsFor(enter: Enter): void;
}

interface Waiting {
  /** Its place in the list, which is its place in a call. */
  readonly at: number;
  readonly call: BatchCall;
  readonly item: BatchItem;
  readonly resolve: (answer: UpstreamResponse) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets orders that are placed each by itself leave together (contract.md 5.15): an order that is about to be sent waits until each other one of the batch is
 * too, or is over. Then each begins its own sending, and those that may leave do in one call of their kind.
 */
export class OrderBatch {
  #enter: Enter = null;
  #running: number;
  readonly #waiting: Waiting[] = [];

  /** `count` orders are placed; each says once, by `leave`, that it is over. */
  constructor(count: number) {
    this.#running = count;
  }

  /** The seat of the order at a place of the list. */
  seat(at: number): BatchSeat {
    return {
      send: (call, item) => this.#send(call, item, at),
      waitsFor: (enter) => {
        this.#enter = enter;
      },
    };
  }

  #send(call: BatchCall, item: BatchItem, at: number): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ at, call, item, resolve, reject });
      this.#sendWhereAllWait();
    });
  }

  /** One order of the batch is over. */
  leave(): void {
    this.#running -= 1;
    this.#sendWhereAllWait();
  }

  #sendWhereAllWait(): void {
    if (this.#waiting.length < this.#running) return;
    let [first, ...others] = this.#waiting.splice(0).sort((one, other) => one.at - other.at);
    while (first !== undefined) {
      const { signer, kind } = first.call;
      const isAlike = ({ call }: Waiting): boolean => call.signer === signer && call.kind === kind;
      void this.#sendAll([first, ...others.filter(isAlike)]);
      [first, ...others] = others.filter((one) => !isAlike(one));
    }
  }

  /** Never rejects: whoever waits is told. */
  async #sendAll([first, ...others]: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const { call } = first;
    const all = [first, ...others];
    const most = call.most(all.length);
    for (let at = 0; at < all.length; at += most) {
      const together = all.slice(at, at + most);
      if (at > 0) await delay(call.pauseMs * together.length);
      await this.#sendTogether(call, together).catch((error: unknown) => {
        for (const { reject } of together) reject(error);
      });
    }
  }

  /** Throws what is the error of each order that was not told another one. */
  async #sendTogether(call: BatchCall, together: readonly Waiting[]): Promise<void> {
    const leave = await this.#enter?.();
    let begun: readonly Waiting[] = [];
    const begin = async (): Promise<readonly BatchItem[]> => {
      const isLate = longerThan(MAX_SEND_DELAY_MS);
      begun = await allBegun(together, leave === undefined ? BEGIN_AT_ONCE : BEGIN_AT_ONCE_IN_TURN);
      leave?.();
      // Another call may have taken over what began too long ago.
      if (begun.length === 0 || isLate()) throw new UpstreamError('timeout', false);
      return begun.map(({ item }) => item);
    };
    try {
      const answerTo = await call.send(begin);
      for (const { item, resolve, reject } of begun) {
        try {
          resolve(answerTo(item));
        } catch (error) {
          reject(error);
        }
      }
    } finally {
      leave?.();
    }
  }
}

/** Those whose own sending has begun, `atOnce` at a time; the others are told why not. */
async function allBegun(together: readonly Waiting[], atOnce: number): Promise<readonly Waiting[]> {
  const left = together.values();
  const begun = new Set<Waiting>();
  const beginOneByOne = async (): Promise<void> => {
    for (const one of left) {
      try {
        await one.item.beforeSend?.();
        begun.add(one);
      } catch (error) {
        one.reject(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, beginOneByOne));
  return together.filter((one) => begun.has(one));
}

/**
 * Which part of an answer belongs to which order: by the name that the part tells, else by its place, where the answer has a part for each order and those
 * with names stand in their places. Null for what no part, or more than one, tells of.
 */
export function partsByName<Part>(
  items: readonly BatchItem[],
  parts: readonly Part[],
  nameOf: (part: Part) => string | null,
): (item: BatchItem) => Part | null {
  const byName = new Map(items.map((item) => [item.name, item]));
  const named = parts.map((part) => byName.get(nameOf(part) ?? ''));
  const isInOrder =
    parts.length === items.length && named.every((item, at) => item === undefined || item === items[at]);
  const told = new Map<BatchItem, Part | null>();
  parts.forEach((part, at) => {
    const item = named[at] ?? (isInOrder ? items[at] : undefined);
    if (item !== undefined) told.set(item, told.has(item) ? null : part);
  });
  return (item) => told.get(item) ?? null;
}
