import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { badField } from '../../platform/errors/app-error.js';
import { Retention } from '../../platform/retention/retention.js';
import { timeOf } from '../request/query-fields.js';
import type { EquityDto, EquityQueryDto } from './equity.dto.js';
import { EquityRepository } from './equity.repository.js';
import type { PortfolioTotalDto } from './portfolio.dto.js';

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
  ) {}

  onModuleInit(): void {
    this.retention.register('equity_points', (limit) => this.repository.removeOld(limit));
  }

  /** Leaves a point, at most one in 15 minutes; none where no equity is known. Throws nothing: what was read is the answer. */
  async note(userId: string, totals: readonly PortfolioTotalDto[]): Promise<void> {
    if (totals.every(({ equity }) => equity === null)) return;
    try {
      await this.repository.add(userId, totals);
    } catch (error) {
      this.#logger.warn({ err: error, message: 'A point of equity could not be kept' });
    }
  }

  async list(userId: string, query: EquityQueryDto): Promise<EquityDto> {
    const end = timeOf('end', query.end) ?? new Date();
    const start = timeOf('start', query.start) ?? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS);
    if (start >= end) throw badField('start', 'must be before end');
    const [hourly, points] = await Promise.all([
      this.repository.isHourly(userId),
      this.repository.list(userId, { start, end }, MOST_POINTS),
    ]);
    return { hourly, data: points.map(({ at, totals }) => ({ at: at.toISOString(), totals })) };
  }

  /** Switches the hourly record on or off; throws `unauthorized` where the session has ended. */
  async setHourly(caller: SessionPrincipal, hourly: boolean): Promise<{ hourly: boolean }> {
    await this.writes.run(caller, () => this.repository.setHourly(caller.userId, hourly));
    return { hourly };
  }
}
