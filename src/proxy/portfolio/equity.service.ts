import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { badField } from '../../platform/errors/app-error.js';
import { Retention } from '../../platform/retention/retention.js';
import { timeOf } from '../request/query-fields.js';
import { AccountReader } from './account-reader.js';
import type { EquityDto, EquityPointDto, EquityQueryDto } from './equity.dto.js';
import { type EquityPoint, EquityRepository } from './equity.repository.js';
import { type AccountReading, accountsOf, countedOf, totalsOf } from './sums.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MOST_POINTS = 1_000;

/** What the accounts of users were worth over time (contract.md 5.17). */
@Injectable()
export class EquityService implements OnModuleInit {
  readonly #logger = new Logger('EquityService');

  constructor(
    private readonly repository: EquityRepository,
    private readonly writes: SessionWrites,
    private readonly retention: Retention,
    private readonly registry: ExchangeRegistry,
    private readonly accounts: AccountReader,
  ) {}

  onModuleInit(): void {
    this.retention.register('equity_points', (limit) => this.repository.removeOld(limit));
  }

  /** Leaves a point, at most one in 15 minutes; none where no equity is known. Throws nothing: what was read is the answer. */
  async note(userId: string, readings: readonly AccountReading[]): Promise<void> {
    const totals = totalsOf(readings);
    if (totals.every(({ equity }) => equity === null)) return;
    try {
      await this.repository.add(userId, { totals, accounts: accountsOf(countedOf(readings)) });
    } catch (error) {
      this.#logger.warn({ err: error, message: 'A point of equity could not be kept' });
    }
  }

  async list(userId: string, query: EquityQueryDto): Promise<EquityDto> {
    const end = timeOf('end', query.end) ?? new Date();
    const start = timeOf('start', query.start) ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS);
    if (start >= end) throw badField('start', 'must be before end');
    const [hourly, points, names] = await Promise.all([
      this.repository.isHourly(userId),
      this.repository.list(userId, { start, end }, MOST_POINTS),
      this.accounts.names(userId, this.registry.all),
    ]);
    const now = accountsOf(names);
    return { hourly, data: points.map((point) => pointOf(point, now)) };
  }

  /** Switches the hourly record on or off; throws `unauthorized` where the session has ended. */
  async setHourly(caller: SessionPrincipal, hourly: boolean): Promise<{ hourly: boolean }> {
    await this.writes.run(caller, () => this.repository.setHourly(caller.userId, hourly));
    return { hourly };
  }
}

/** `now`: of which accounts the credentials are stored, as `accountsOf` makes them. */
function pointOf({ at, gap, totals, accounts }: EquityPoint, now: Readonly<Record<string, string>>): EquityPointDto {
  const isOfOthers = (currency: string): boolean =>
    accounts?.[currency] !== undefined && currency in now && now[currency] !== accounts[currency];
  const others = totals.map(({ currency }) => currency).filter(isOfOthers);
  return { at: at.toISOString(), gap, other_accounts: others, totals };
}
