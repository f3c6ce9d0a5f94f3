import { Injectable } from '@nestjs/common';
import type { SendingLook } from '../../credentials/credentials.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { reservedWith } from './may-send.js';
import type { AskedTerms, Beginning, BrokenLimit, Claim, LimitFacts } from './placement.js';

/** A limit of a bot, and what an order would take of it. */
export type KnownLimit = Pick<BrokenLimit, 'limit' | 'allowed' | 'used' | 'asked'>;

/** Whether the sending of an order of a bot could begin now; limits and risk are null where the bot is gone. */
export interface PreviewedBeginning extends Omit<Beginning, 'hasBegun'> {
  readonly limits: readonly KnownLimit[] | null;
  readonly risk: string | null;
}

/** Asks what `begin_order_of_bot` would say, of which nothing stays (contract.md 5.12). */
@Injectable()
export class PreviewedOrders {
  constructor(private readonly transactions: Transactions) {}

  async ofBot(claim: Claim, asked: AskedTerms, facts: LimitFacts, look: SendingLook): Promise<PreviewedBeginning> {
    const [row, factsOfLimits] = reservedWith(claim, asked, { facts, isAgain: false });
    const rows = await this.transactions.manager.query<PreviewedBeginning[]>(
      `SELECT refusal, broken, limits, risk FROM preview_order_of_bot($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb)`,
      [...look, row, factsOfLimits],
    );
    return rows[0] ?? { refusal: null, broken: null, limits: null, risk: null };
  }
}
