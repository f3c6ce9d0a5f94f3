import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../../exchanges/credentials.contract.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import { allItems } from '../../exchanges/page-walk.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { CredentialWarning } from '../../exchanges/unified.words.js';
import { SealBrokenError } from '../../platform/crypto/crypto.service.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { CredentialKeys } from '../../credentials/credential-keys.js';
import { openedSessionKey } from '../../credentials/credential-opener.js';
import { factsOf, readFacts, reviewOf } from '../../credentials/credential-review.js';
import {
  canSign,
  type CredentialSets,
  CredentialSetsRepository,
} from '../../credentials/credential-sets.repository.js';
import { CredentialVault } from '../../credentials/credential-vault.js';
import { SealedRowsRepository } from '../../credentials/sealed-rows.repository.js';

/** As many rows of each table and key are opened. */
const ROWS_TRIED = 20;
const PAGE = 100;

function endless(): AppError {
  return new AppError('exchange_error', 'The exchange repeats the pages of a list.');
}

/** How `ENCRYPTION_KEYS` fits what is stored: ids of keys, and how many of the rows that were tried do not open. */
export interface KeysFound {
  readonly missing: readonly string[];
  readonly wrong: readonly string[];
  readonly tried: number;
  readonly broken: number;
}

/**
 * What a user has stored for an exchange: nothing, fields that do not open, a session key that waits for its
 * activation, or credentials that the exchange accepts.
 */
export type CredentialsFound =
  | { readonly state: 'none' | 'broken' | 'pending' }
  | {
      readonly state: 'accepted';
      readonly warnings: readonly CredentialWarning[];
      /** Contracts without the owner's approval; null where the exchange has none, or does not say. */
      readonly missingAllowances: readonly string[] | null;
      /** Null where the exchange has no such state, or does not say. */
      readonly isClosedOnly: boolean | null;
    };

/** Looks at stored credentials and keys without changing anything: for `npm run doctor` (contract.md 8.1, S-38). */
@Injectable()
export class CredentialInspectionService {
  constructor(
    private readonly keys: CredentialKeys,
    private readonly rows: SealedRowsRepository,
    private readonly sets: CredentialSetsRepository,
    private readonly vault: CredentialVault,
  ) {}

  /** Compares the keys with those that rows need, and opens some rows of each. */
  async inspectKeys(): Promise<KeysFound> {
    const [missing, wrong] = [await this.keys.listMissing(), await this.keys.listWrong()];
    const unfit = new Set([...missing, ...wrong]);
    let [tried, broken] = [0, 0];
    for (const keyId of (await this.rows.listKeyIds()).filter((id) => !unfit.has(id))) {
      const rows = await this.rows.listUnder(keyId, ROWS_TRIED);
      tried += rows.length;
      broken += rows.filter((row) => !this.vault.opens(row)).length;
    }
    return { missing, wrong, tried, broken };
  }

  /**
   * Opens what a user has stored for an exchange and asks the exchange, by signed reads alone. Throws AppError where that fails:
   * `credentials_rejected` where the exchange refuses them.
   */
  async inspectUser(userId: string, exchange: Exchange): Promise<CredentialsFound> {
    const sets = await this.sets.find(userId, exchange.id);
    const rows = [sets.stored, sets.active, sets.pending].filter((row) => row !== null);
    if (rows.length === 0) return { state: 'none' };
    if (!rows.every((row) => this.vault.opens(row))) return { state: 'broken' };
    if (!canSign(sets, false)) return { state: 'pending' };
    let trading: Trading;
    try {
      trading = this.#tradingOf(exchange, sets);
    } catch (error) {
      if (error instanceof SealBrokenError) return { state: 'broken' };
      throw error;
    }
    return withCallContext({ caller: userId, fresh: false }, () => ask(userId, exchange, sets, trading));
  }

  /** The open orders of a user, by signed reads; null where nothing is stored that could sign, or that opens. */
  async listOpenOrders(userId: string, exchange: Exchange): Promise<OrderDto[] | null> {
    const sets = await this.sets.find(userId, exchange.id);
    if (!canSign(sets, false)) return null;
    const rows = [sets.stored, sets.active].filter((row) => row !== null);
    if (!rows.every((row) => this.vault.opens(row))) return null;
    const trading = this.#tradingOf(exchange, sets);
    return withCallContext({ caller: userId, fresh: true }, () =>
      allItems((cursor) => trading.listOrders({ status: 'open' }, { limit: PAGE, cursor }), endless),
    );
  }

  #tradingOf(exchange: Exchange, sets: CredentialSets): Trading {
    const { stored, active } = sets;
    const noted = (): Promise<void> => Promise.resolve();
    const sessionKey = active && openedSessionKey(this.vault, active, noted);
    return exchange.trading(stored && this.vault.open(stored), factsOf(sets), sessionKey);
  }
}

async function ask(
  userId: string,
  exchange: Exchange,
  sets: CredentialSets,
  trading: Trading,
): Promise<CredentialsFound> {
  await trading.verify();
  const [said, isClosedOnly] = await Promise.all([readFacts(userId, trading), closedOnly(trading)]);
  const facts: CredentialFacts | null = said ?? factsOf(sets);
  const { warnings } = reviewOf(exchange, {
    ...sets,
    active: sets.active && { ...sets.active, facts },
    stored: sets.stored && { ...sets.stored, facts },
  });
  return { state: 'accepted', warnings, missingAllowances: facts?.missingAllowances ?? null, isClosedOnly };
}

/** Returns null where the exchange does not answer. */
async function closedOnly(trading: Trading): Promise<boolean | null> {
  try {
    return (await trading.isClosedOnly?.()) ?? null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
