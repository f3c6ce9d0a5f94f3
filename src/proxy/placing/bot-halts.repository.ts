import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { BotHalt } from '../../credentials/credentials.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { ERROR_REASONS } from '../../platform/errors/error-codes.js';

const HALT = z.object({ reason: z.enum(ERROR_REASONS.bot_halted), since: z.date() });

/** What the refusal of an order tells of the halt of its bot (contract.md 5.11). */
@Injectable()
export class BotHalts {
  constructor(private readonly transactions: Transactions) {}

  /** Null where the bot is not halted any more, and where the database does not say. */
  async find(botId: string): Promise<BotHalt | null> {
    const rows = await this.#read(botId).catch(() => []);
    const { data } = HALT.safeParse(rows[0]);
    return data === undefined ? null : { reason: data.reason, since: data.since.toISOString() };
  }

  /** A bot without a halt of its own has missed its heartbeat. */
  #read(botId: string): Promise<object[]> {
    return this.transactions.manager.query(
      `SELECT COALESCE(halt_reason, 'heartbeat_missed') AS reason, COALESCE(halted_at, missed_since, beat_end(bots)) AS since
         FROM bots
        WHERE id = $1 AND (halted_at IS NOT NULL OR missed_since IS NOT NULL OR beat_end(bots) <= clock_timestamp())`,
      [botId],
    );
  }
}
