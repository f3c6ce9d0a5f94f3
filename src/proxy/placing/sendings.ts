import type { BeforeSend } from '../../exchanges/before-send.js';
import { Injectable } from '@nestjs/common';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { BatchSeat, Enter } from '../../exchanges/order-batch.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { Tally } from '../../platform/metrics/tally.js';
import { currentCallContext } from '../../platform/upstream/call-context.js';
import { longerThan } from '../../platform/time/held-up.js';
import { MAX_SEND_DELAY_MS } from '../../platform/upstream/upstream.constants.js';
import { UpstreamError } from '../../platform/upstream/upstream-client.js';
import type { AmendClaim, Amends, AmendSending } from './amends.repository.js';
import { BotHalts } from './bot-halts.repository.js';
import type { Ledger } from './ledger.repository.js';
import { hasCode, inProgress } from './outcomes.js';
import { limitExceeded } from './limits.js';
import type { AskedTerms, Beginning, Claim, LimitFacts } from './placement.js';
import { ReservationLanes } from '../../platform/upstream/reservation-lanes.js';
import type { Unkeyed, UnkeyedPlacements } from './unkeyed.repository.js';

/**
 * How long beyond `UPSTREAM_TIMEOUT` an order may arrive, or an exchange's lists may lag, after it was sent. A margin of
 * our own: no exchange documents one, and a shorter one makes refusals of orders that live.
 */
const REFUSAL_WAIT_SLACK_MS = 30_000;
/** A call without a sign of life for this long beyond `UPSTREAM_TIMEOUT` was cut off (contract.md 5). */
const CUT_OFF_SLACK_MS = 5_000;

/** Orders of one bot that wait for a place, or are reserved, at once in an instance. */
const AT_ONCE = 2;

/** What is sent under a key. */
export interface KeyedSending {
  readonly records: Ledger;
  readonly claim: Claim;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  /** As what it is sent; kept in the record. */
  readonly reference: object;
  readonly asked: AskedTerms;
  /** What the limits of the bot that sends look at, by now; null for what no bot sends. */
  readonly limitFacts: (() => LimitFacts) | null;
  /** Until when it may wait for other orders of its bot, by `performance.now()`. */
  readonly readsUntil: number;
  /** The error of a process that was frozen before it could send: other calls may take the order for lost by now. */
  readonly heldUp: () => AppError;
}

/** What is sent without one. */
export interface UnkeyedSending extends Pick<
  KeyedSending,
  'account' | 'reference' | 'asked' | 'limitFacts' | 'readsUntil'
> {
  readonly records: UnkeyedPlacements;
  readonly row: Unkeyed;
}

/** What a change of an order is to make of it, and what the limits of the bot that asks look at. */
export type AmendTerms = Pick<AmendSending, 'asked' | 'facts'>;

/** A change of an order that rests. */
interface AmendCall extends Pick<KeyedSending, 'readsUntil'> {
  readonly records: Amends;
  readonly claim: AmendClaim;
  /** As it was prepared last. */
  readonly terms: () => AmendTerms | null;
}

export const HELD_UP = 'The service was held up before it could send.';

/** The error of a call that sent nothing, and may be repeated. */
export function unsent(why: string): AppError {
  return new AppError('service_unavailable', `${why} Nothing was sent: repeat the call.`, { retryAfterSeconds: 1 });
}

/** The bot that sends; null where none does. */
function botOf({ look }: SendingPermit): string | null {
  return look[5];
}

/** How the reservation of a bot's order may end. */
export const RESERVATION_OUTCOMES = ['reserved', 'limit', 'halted', 'crowded', 'refused', 'failed'] as const;

/** Why nothing is reserved: a limit, a halt, too many of the bot that wait, what the bot may not, or a fault of ours. */
function notReserved(error: unknown): (typeof RESERVATION_OUTCOMES)[number] {
  if (hasCode(error, 'limit_exceeded')) return 'limit';
  if (hasCode(error, 'bot_halted')) return 'halted';
  if (hasCode(error, 'rate_limited')) return 'crowded';
  return error instanceof AppError && error.status < 500 ? 'refused' : 'failed';
}

const NO_LANE = (): void => undefined;

/** One sending of an order or a transfer, which begins between the wait for a place and the first byte, and ends with the answer. */
export class Sending {
  #hasBegun = false;
  #isAgain = false;

  /** `begin` is told whether it has failed before. */
  constructor(
    private readonly enter: Enter,
    private readonly begin: (isAgain: boolean) => Promise<void>,
  ) {}

  /**
   * Sends by `place`, which calls what it is given before the first byte. Waits for the turn of its bot first, and ends it once it has begun;
   * a batch takes one turn for each of its calls.
   */
  async through<Placed>(place: (before: BeforeSend) => Promise<Placed>, seat: BatchSeat | undefined): Promise<Placed> {
    if (seat !== undefined) {
      seat.waitsFor(this.enter);
      return place(() => this.#begin());
    }
    const leave = (await this.enter?.()) ?? NO_LANE;
    try {
      return await place(async () => {
        await this.#begin();
        leave();
      });
    } finally {
      leave();
    }
  }

  async #begin(): Promise<void> {
    const isAgain = this.#isAgain;
    this.#isAgain = true;
    await this.begin(isAgain);
    this.#hasBegun = true;
  }

  /** Whether a byte of it may have left, where it ended with this error. */
  mayHaveLeft(error: unknown): boolean {
    const cause = error instanceof AppError ? error.cause : error;
    return this.#hasBegun && !(cause instanceof UpstreamError && !cause.sent);
  }
}

/**
 * Begins sendings where they begin: between the wait for a place and the first byte, in one statement that keeps what is sent, and
 * looks whether the caller still may (R-13, S-30).
 */
@Injectable()
export class Sendings {
  /** Sendings of orders of bots that were about to begin, by what came of that. */
  readonly reservations = new Tally(['outcome']);
  readonly #upstreamMs: number;
  readonly #lanes = new ReservationLanes(AT_ONCE);

  constructor(
    settings: Settings,
    private readonly halts: BotHalts,
  ) {
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  /** How long a call may be busy without a sign of life, in ms. */
  get busyMs(): number {
    return this.#upstreamMs + CUT_OFF_SLACK_MS;
  }

  /** Without a key: its row is written where it begins, which throws `service_unavailable` where the process was frozen: nothing was sent. */
  once({ records, row, reference, limitFacts, readsUntil, ...asked }: UnkeyedSending, permit: SendingPermit): Sending {
    return this.#sending(permit, readsUntil, async (isAgain) => {
      const isLate = longerThan(MAX_SEND_DELAY_MS);
      const sending = { ...asked, reservation: limitFacts && { facts: limitFacts(), isAgain }, ...this.#times };
      const beginning = await records.startSending(row, reference, sending, permit.look);
      await this.assertNotRefused(permit, beginning);
      if (isLate()) throw unsent(HELD_UP);
    });
  }

  /** Under a key. To begin throws `idempotency_in_progress` where another call has taken over. */
  keyed(
    { records, claim, account, reference, asked, limitFacts, readsUntil, heldUp }: KeyedSending,
    permit: SendingPermit,
  ): Sending {
    return this.#sending(permit, readsUntil, async (isAgain) => {
      const isLate = longerThan(MAX_SEND_DELAY_MS);
      const sending = { account, asked, reservation: limitFacts && { facts: limitFacts(), isAgain }, ...this.#times };
      const beginning = await records.startSending(claim, reference, sending, permit.look);
      await this.assertNotRefused(permit, beginning);
      if (!beginning.hasBegun) throw inProgress();
      if (isLate()) throw heldUp();
    });
  }

  /** To begin throws `service_unavailable` where the call has lost its turn, or the process was frozen: nothing was sent. */
  amend({ records, claim, terms, readsUntil }: AmendCall, permit: SendingPermit): Sending {
    return this.#sending(permit, readsUntil, async (isAgain) => {
      const isLate = longerThan(MAX_SEND_DELAY_MS);
      const now = terms();
      const { busyMs, refusalWaitMs: arrivesMs } = this.#times;
      const beginning = now && (await records.begin(claim, { ...now, isAgain, busyMs, arrivesMs }, permit.look));
      if (beginning !== null) await this.assertNotRefused(permit, beginning);
      if (beginning?.hasBegun !== true || isLate())
        throw unsent('The change could not begin in time, or this service has another record of the order.');
    });
  }

  /** Few of one bot wait for a place, or begin, at once; the others wait for as long as their client does. */
  #sending(permit: SendingPermit, until: number, begin: (isAgain: boolean) => Promise<void>): Sending {
    const botId = botOf(permit);
    if (botId === null) return new Sending(null, begin);
    const signal = currentCallContext()?.signal;
    return new Sending(
      () => this.#counted(this.#lanes.enter(botId, { until, signal })),
      async (isAgain) => {
        await this.#counted(begin(isAgain));
        this.reservations.count('reserved');
      },
    );
  }

  /** Asks the database about an order that is not sent, in the turn of its bot. */
  async inTurn<T>(permit: SendingPermit, until: number, ask: () => Promise<T>): Promise<T> {
    const botId = botOf(permit);
    const signal = currentCallContext()?.signal;
    const leave = botId === null ? NO_LANE : await this.#lanes.enter(botId, { until, signal });
    try {
      return await ask();
    } finally {
      leave();
    }
  }

  /** Counts the reservation that fails. */
  async #counted<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.reservations.count(notReserved(error));
      throw error;
    }
  }

  /** Throws why a sending may not begin. */
  async assertNotRefused(permit: SendingPermit, { refusal, broken }: Omit<Beginning, 'hasBegun'>): Promise<void> {
    if (refusal === null) return;
    if (broken !== null) throw limitExceeded(broken);
    const botId = botOf(permit);
    const halt = refusal === 'bot_halted' && botId !== null ? await this.halts.find(botId) : null;
    throw permit.refusedBy(refusal, halt);
  }

  get #times(): { readonly busyMs: number; readonly refusalWaitMs: number } {
    return { busyMs: this.busyMs, refusalWaitMs: this.#upstreamMs + REFUSAL_WAIT_SLACK_MS };
  }
}
