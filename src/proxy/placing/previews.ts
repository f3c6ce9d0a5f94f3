import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/errors/app-error.js';
import type { ErrorCode } from '../../platform/errors/error-codes.js';
import { randomUuid } from '../../platform/secrets/random.js';
import { DailyPlacements } from './daily-placements.js';
import { withRoom } from './limits.js';
import { LookUps } from './look-ups.js';
import type { Claim } from './placement.js';
import { type KnownLimit, type PreviewedBeginning, PreviewedOrders } from './previews.repository.js';
import { fingerprintOf } from './request-fingerprint.js';
import { Sendings } from './sendings.js';
import { type Prepared, type Rights, senderOf, type Subject } from './subject.js';
import { UnkeyedPlacements } from './unkeyed.repository.js';

/** How far placing would come. */
export interface Preview {
  /** Why nothing would be sent; null where it would be sent. */
  readonly refusal: AppError | null;
  /** Those of the bot that asks; none of anybody else. */
  readonly limits: readonly KnownLimit[];
  /** What the order risks within these; null where no bot asks. */
  readonly risk: string | null;
}

const UNLIMITED = { limits: [], risk: null };

/**
 * Goes with an order or a transfer as far as `Placing` does without a key, up to where its sending would begin: nothing is sent, recorded,
 * reserved or counted (contract.md 5).
 */
@Injectable()
export class Previews {
  constructor(
    private readonly unkeyed: UnkeyedPlacements,
    private readonly previewed: PreviewedOrders,
    private readonly sendings: Sendings,
    private readonly lookUps: LookUps,
    private readonly days: DailyPlacements,
  ) {}

  /** Throws as placing does, but for what refuses the order alone: that is the answer. */
  async of(subject: Subject<unknown>, readsUntil: number): Promise<Preview> {
    await subject.admit(readsUntil);
    const rights = await subject.open();
    const sender = senderOf(subject);
    const usedUp = (await this.days.hasLeft(sender)) ? null : this.days.refusal(sender);
    const isTimed = subject.caller.bot?.orderSeconds != null;
    const { claim } = await this.unkeyed.begin(sender, fingerprintOf(subject.request), randomUuid(), isTimed);
    const naming = { clientId: claim.nonce, createdAt: claim.createdAt, sentAs: null };
    let prepared: Prepared<unknown>;
    try {
      prepared = await subject.prepare(rights.trading, naming, readsUntil);
    } catch (error) {
      return { refusal: usedUp ?? refusalIn(error), ...UNLIMITED };
    }
    const begun = await this.#begun(subject, { claim, rights, prepared, readsUntil });
    return { ...begun, refusal: usedUp ?? begun.refusal };
  }

  async #begun(subject: Subject<unknown>, { claim, rights, prepared, readsUntil }: PreparedCall): Promise<Preview> {
    const { limitFacts, asked, renewFacts } = prepared;
    if (limitFacts === null) return { refusal: null, ...UNLIMITED };
    let last: Omit<PreviewedBeginning, 'refusal' | 'broken'> = UNLIMITED;
    const begin = async (): Promise<null> => {
      const begun = await this.previewed.ofBot(claim, asked, limitFacts(), rights.permit.look);
      last = begun;
      await this.sendings.assertNotRefused(rights.permit, begun);
      return null;
    };
    const refusal = await withRoom(subject, renewFacts, () =>
      this.sendings.inTurn(rights.permit, readsUntil, begin),
    ).catch(refusalIn);
    return { refusal, limits: last.limits ?? [], risk: last.risk };
  }
}

interface PreparedCall {
  readonly claim: Claim;
  readonly rights: Rights;
  readonly prepared: Prepared<unknown>;
  readonly readsUntil: number;
}

const REFUSALS: readonly ErrorCode[] = ['exchange_rejected', 'limit_exceeded', 'bot_halted'];

/** What refuses an order though it is well formed and its sender may send; throws everything else. */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError && REFUSALS.includes(error.code)) return error;
  throw error;
}
