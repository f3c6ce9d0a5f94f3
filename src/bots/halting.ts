import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CredentialsService } from '../credentials/credentials.service.js';
import type { Exchange } from '../exchanges/exchange.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { within } from '../platform/time/within.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import {
  type BotsCancel,
  BotOrdersService,
  type IsMeant,
  type Meant,
  type UnsettledOrder,
} from '../proxy/orders/bot-orders.service.js';

/** What a halt did for one bot at one exchange. */
export interface ExchangeHalt {
  readonly exchange: string;
  readonly cancelled: readonly string[];
  readonly not_cancelled: readonly { readonly id: string; readonly reason: string }[];
  readonly unsettled: readonly { readonly order_id: string | null; readonly client_order_id: string | null }[];
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The work at one exchange ends by then, in ms; what is not done is done later. */
const LIMIT_MS = 27_000;
/** Orders on their way are waited for so long at most, in ms. */
const MOST_WAIT_MS = 20_000;
const WAIT_SLACK_MS = 5_000;
const LOOK_EVERY_MS = 250;
/** A walk that cancelled something is followed by another, which reads back. */
const MOST_WALKS = 4;
/** Looked up by one halt; the settler looks up the rest. */
const MOST_LOOK_UPS = 20;

const TIMED_OUT = { code: 'exchange_timeout', message: 'The orders there could not all be cancelled in time.' };

/** Since when orders of a bot are to be cancelled. */
interface Mark {
  /** In µs by the database's clock: what the bot sent later is not meant. */
  readonly at: number;
  /** Whether a restore halted it: orders of it may be there of which no record is left. */
  readonly isRestored: boolean;
}

/** By the ids of bots. */
export type Marks = ReadonlyMap<string, Mark>;

/** What is known at one exchange of all bots that are halted together. */
interface Progress {
  readonly cancelled: Map<string, string>;
  readonly notCancelled: Map<string, { readonly botId: string; readonly reason: string }>;
  unknown: readonly string[];
  error: ExchangeHalt['error'];
}

/**
 * Cancels what rests of bots that are halted: at once, then once more when what was on its way has arrived, and reads back. One exchange's
 * failure stops no other (contract.md 5.13).
 */
@Injectable()
export class Halting {
  readonly #logger = new Logger('Halting');
  readonly #waitMs: number;

  constructor(
    private readonly orders: BotOrdersService,
    private readonly credentials: CredentialsService,
    private readonly registry: ExchangeRegistry,
    settings: Settings,
  ) {
    this.#waitMs = Math.min(settings.upstreamTimeoutMs + WAIT_SLACK_MS, MOST_WAIT_MS);
  }

  isUnsettled(botId: string): Promise<boolean> {
    return this.orders.isUnsettled(botId);
  }

  /** Cancels for bots of one user; returns what was done, by the id of each, at each exchange that the user trades at. */
  async run(userId: string, marks: Marks): Promise<ReadonlyMap<string, readonly ExchangeHalt[]>> {
    const botIds = [...marks.keys()];
    // A mark waits for the sendings that have begun before, so that it is the later one.
    const isMeant: IsMeant = (botId, sentAt) => sentAt <= (marks.get(botId)?.at ?? -Infinity);
    const meant = { userId, botIds, isMeant };
    const exchanges = await this.#exchangesOf(userId, botIds);
    const done = await Promise.all(exchanges.map((exchange) => this.#at(exchange, meant)));
    const left = await this.#unsettled(meant);
    return new Map(
      [...marks].map(([botId, { isRestored }]) => [
        botId,
        exchanges.map((exchange, index) => haltOf({ botId, isRestored }, exchange.id, done[index], left)),
      ]),
    );
  }

  /** Where credentials are stored, or orders of the bots are. */
  async #exchangesOf(userId: string, botIds: readonly string[]): Promise<Exchange[]> {
    const [ready, used] = await Promise.all([
      this.credentials.listReadiness(userId, this.registry.all),
      this.orders.exchangesOf(botIds),
    ]);
    const configured = ready.flatMap(({ exchange, configured: is }) => (is ? [exchange] : []));
    return this.registry.all.filter(({ id }) => configured.includes(id) || used.includes(id));
  }

  async #at(exchange: Exchange, meant: Meant): Promise<Progress> {
    const progress: Progress = { cancelled: new Map(), notCancelled: new Map(), unknown: [], error: null };
    const work = withCallContext({ caller: meant.userId, fresh: true }, () => this.#work(exchange, meant, progress));
    const ended = work.then(
      () => true,
      (error: unknown) => {
        progress.error = errorOf(error);
        if (!(error instanceof AppError))
          this.#logger.error({ err: error, message: 'orders of bots could not be cancelled' });
        return true;
      },
    );
    const isDone = await within(LIMIT_MS, ended, () => false);
    // What goes on is told of no more.
    return isDone ? progress : { ...progress, error: progress.error ?? TIMED_OUT };
  }

  async #work(exchange: Exchange, meant: Meant, progress: Progress): Promise<void> {
    note(progress, await this.orders.cancel(exchange, meant));
    await this.#awaitArrivals(exchange.id, meant);
    for (let walk = 1; walk < MOST_WALKS; walk += 1) {
      const did = await this.orders.cancel(exchange, meant);
      note(progress, did);
      if (did.cancelled.length === 0) break;
    }
    // What a list lacks may rest all the same, or have ended otherwise.
    if ((await this.#unsettledAt(exchange.id, meant)).length === 0) return;
    await this.orders.prove(meant.userId, exchange.id);
    const left = await this.#unsettledAt(exchange.id, meant);
    if (progress.error === null) await this.orders.requireAccountOf(meant.userId, exchange, left);
  }

  /** Waits until no call works on an order of these bots, then looks up those whose fate is not known. */
  async #awaitArrivals(exchange: string, meant: Meant): Promise<void> {
    const until = performance.now() + this.#waitMs;
    let left = await this.#unsettledAt(exchange, meant);
    while (left.some(({ isBusy }) => isBusy) && performance.now() < until) {
      await delay(LOOK_EVERY_MS);
      left = await this.#unsettledAt(exchange, meant);
    }
    await this.orders.settle(left.slice(0, MOST_LOOK_UPS));
  }

  async #unsettledAt(exchange: string, meant: Meant): Promise<UnsettledOrder[]> {
    return (await this.#unsettled(meant)).filter((order) => order.exchange === exchange);
  }

  /** A bot that trades on after a gap of its beats always has orders that are not settled: they are not meant. */
  async #unsettled({ botIds, isMeant }: Meant): Promise<UnsettledOrder[]> {
    const all = await this.orders.listUnsettled(botIds);
    return all.filter(({ botId, sentAt }) => isMeant(botId, sentAt ?? -Infinity));
  }
}

function errorOf(error: unknown): ExchangeHalt['error'] {
  return error instanceof AppError
    ? { code: error.code, message: error.message }
    : { code: 'internal_error', message: 'The orders there could not be cancelled.' };
}

function note(progress: Progress, { cancelled, notCancelled, unknown, failure }: BotsCancel): void {
  for (const { botId, id } of cancelled) progress.cancelled.set(id, botId);
  // What an earlier walk could not cancel may have ended since.
  progress.notCancelled.clear();
  for (const { botId, id, reason } of notCancelled) progress.notCancelled.set(id, { botId, reason });
  progress.unknown = unknown;
  progress.error = failure === null ? null : errorOf(failure);
}

/** An order that nobody is known to have sent may be one that this bot sent after the backup, or its owner's own. */
const UNKNOWN_OWNER = 'unknown_owner';

function haltOf(
  { botId, isRestored }: { readonly botId: string; readonly isRestored: boolean },
  exchange: string,
  progress: Progress | undefined,
  left: readonly UnsettledOrder[],
): ExchangeHalt {
  const {
    cancelled = new Map<string, string>(),
    notCancelled = new Map(),
    unknown = [],
    error = null,
  } = progress ?? {};
  const own = [...(notCancelled as Progress['notCancelled'])].flatMap(([id, { botId: of, reason }]) =>
    of === botId ? [{ id, reason }] : [],
  );
  return {
    exchange,
    cancelled: [...cancelled].flatMap(([id, of]) => (of === botId ? [id] : [])),
    not_cancelled: isRestored ? [...own, ...unknown.map((id) => ({ id, reason: UNKNOWN_OWNER }))] : own,
    unsettled: left
      .filter((order) => order.botId === botId && order.exchange === exchange)
      .map(({ orderId, clientOrderId }) => ({ order_id: orderId, client_order_id: clientOrderId })),
    error,
  };
}
