import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Exchange } from '../../exchanges/exchange.js';
import { AppError } from '../../platform/errors/app-error.js';
import { MIGRATIONS } from '../../../migrations/migrations.js';
import { BotInspectionService } from './bot-inspection.service.js';
import { CredentialInspectionService, type CredentialsFound, type KeysFound } from './credential-inspection.service.js';
import { AccountIdsRepository } from './account-ids.repository.js';
import { type DatabaseLook, isReached, withoutDatabase } from './database.checks.js';
import { reasonOf } from './failure.js';
import { type Check, fail, type Finding, inTime, ok, warn } from './finding.js';
import type { OwnSettings } from './own-settings.js';
import { StoredModule } from './stored.module.js';

const CHECK_HINT =
  'npm run keys:check names the rows. Put the keys back, or let the owners store their credentials again.';

/** How the keys in `ENCRYPTION_KEYS` fit what is stored; by ids, never keys (S-38). */
export function judgeKeys({ missing, wrong, tried, broken }: KeysFound): Finding {
  if (missing.length > 0) {
    return fail(`ENCRYPTION_KEYS lacks keys that stored rows need: ${missing.join(', ')}.`, CHECK_HINT);
  }
  if (wrong.length > 0) {
    return fail(`ENCRYPTION_KEYS has another key than before under ${wrong.join(', ')}.`, CHECK_HINT);
  }
  if (broken > 0) return fail(`${broken} of ${tried} stored rows that were tried do not open.`, CHECK_HINT);
  if (tried === 0) return ok('Nothing is stored under any key yet.');
  return ok(`All ${tried} stored rows that were tried open.`);
}

const UNASKED: Readonly<Record<Exclude<CredentialsFound['state'], 'accepted'>, Finding>> = {
  none: ok('Nothing is stored.'),
  broken: fail('What is stored does not open.', CHECK_HINT),
  pending: warn('A session key waits to be taken into use; nothing else is stored.', 'Its owner has to authorise it.'),
};

/** What keeps a user from trading with what is stored. */
export function judgeCredentials(found: CredentialsFound, exchange: string): Finding {
  if (found.state !== 'accepted') return UNASKED[found.state];
  const { warnings, missingAllowances, isClosedOnly } = found;
  if (isClosedOnly === true) {
    return fail(
      'The exchange lets this account sell, but not buy (closed-only mode).',
      'Only the exchange can lift it.',
    );
  }
  if (missingAllowances !== null && missingAllowances.length > 0) {
    return warn(
      `These contracts lack the approval to take money: ${missingAllowances.join(', ')}.`,
      `The owner approves them at ${exchange}; orders that need them are refused until then.`,
    );
  }
  if (warnings.length > 0) return warn(`It works, with warnings: ${warnings.join(', ')}.`);
  const allowances = missingAllowances === null ? '' : ', and all approvals are there';
  return ok(`What is stored opens, and the exchange takes it${allowances}.`);
}

type Inspect = (app: INestApplicationContext, userId: string) => Promise<Finding>;

/** Two looks at all open orders, in ms. */
const ORDERS_LIMIT_MS = 12_000;

function refused(error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const words = error.message.replace(/\.$/, '');
  if (error.code !== 'credentials_rejected') return warn(`The exchange could not be asked: ${words}.`);
  return fail(`The exchange refuses what is stored: ${words}.`, 'The owner has to store credentials that work.');
}

/** Whether the schema is the one that this version reads. */
function isCurrent(migrations: readonly string[]): boolean {
  return MIGRATIONS.every(({ name }) => migrations.includes(name));
}

/** The checks of what is stored. Each needs the database with its schema, and right keys. */
export class StoredChecks {
  readonly #own: OwnSettings;
  readonly #opening: Promise<INestApplicationContext | Finding>;

  constructor(own: OwnSettings, look: Promise<DatabaseLook>) {
    this.#own = own;
    this.#opening = this.#open(look);
  }

  keys(): Check {
    const run = async (): Promise<Finding> => {
      const app = await this.#opening;
      if ('status' in app) return app;
      return judgeKeys(await inTime(app.get(CredentialInspectionService).inspectKeys()));
    };
    return { id: 'encryption_keys', run };
  }

  /**
   * Of a user, by id or address: what is stored for each exchange, how each bot stands, and what is reserved for orders of bots beside what
   * each exchange shows.
   */
  async ofUser(idOrEmail: string, exchanges: readonly Exchange[]): Promise<Check[]> {
    const bots = await this.#botsOf(idOrEmail).catch((error: unknown) => [
      fail(`The bots could not be read: ${reasonOf(error)}.`),
    ]);
    return [
      ...exchanges.map((exchange) => ({
        id: `user_${exchange.id}`,
        run: () =>
          this.#ofUser(idOrEmail, async (app, userId) =>
            judgeCredentials(await app.get(CredentialInspectionService).inspectUser(userId, exchange), exchange.id),
          ),
      })),
      ...bots.map((finding) => ({ id: 'user_bot', run: () => finding })),
      ...(bots.length === 0 ? [] : exchanges).map((exchange) => ({
        id: `user_${exchange.id}_orders`,
        run: () =>
          this.#ofUser(
            idOrEmail,
            (app, userId) => app.get(BotInspectionService).inspectOrders(userId, exchange),
            ORDERS_LIMIT_MS,
          ),
      })),
    ];
  }

  /** Lets go of the connections; never rejects. */
  async close(): Promise<void> {
    const app = await this.#opening;
    if (!('status' in app)) await app.close().catch(() => undefined);
  }

  async #ofUser(idOrEmail: string, inspect: Inspect, limitMs?: number): Promise<Finding> {
    const app = await this.#opening;
    if ('status' in app) return app;
    const userId = await inTime(app.get(AccountIdsRepository).find(idOrEmail));
    if (userId === null) return fail('There is no such account.', 'npm run users -- list shows all.');
    try {
      return await inTime(inspect(app, userId), limitMs);
    } catch (error) {
      return refused(error);
    }
  }

  /** None where the account, or the database, is not there: other checks say so. */
  async #botsOf(idOrEmail: string): Promise<Finding[]> {
    const app = await this.#opening;
    if ('status' in app) return [];
    const userId = await inTime(app.get(AccountIdsRepository).find(idOrEmail));
    return userId === null ? [] : inTime(app.get(BotInspectionService).inspectBots(userId));
  }

  /** The part of the service that opens what is stored, or why there is none. */
  async #open(look: Promise<DatabaseLook>): Promise<INestApplicationContext | Finding> {
    const { settings, faults } = this.#own;
    const found = await look;
    if (settings === null || faults.some(({ name }) => name.startsWith('ENCRYPTION_KEYS'))) {
      return fail('ENCRYPTION_KEYS cannot be used.', 'See the check of the settings.');
    }
    if (!isReached(found)) return withoutDatabase(found);
    if (!isCurrent(found.facts.migrations)) {
      return warn('This could not be checked before the schema changes are made.', 'See the check of the migrations.');
    }
    try {
      const module = StoredModule.with(settings, found.server.connection);
      return await inTime(NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }));
    } catch (error) {
      return fail(`What is stored cannot be read: ${reasonOf(error)}.`);
    }
  }
}
