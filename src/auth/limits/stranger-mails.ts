import { Injectable } from '@nestjs/common';
import { isLoopback } from '../../platform/config/loopback.js';
import { Settings } from '../../platform/config/settings.js';
import { networkOf, networksAround } from '../../platform/limits/client-network.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import type { RatePolicy } from '../../platform/limits/rate.js';
import { UsersService } from '../../users/users.service.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

const HOUR_MS = 3_600_000;
const PER_HOUR = 10;
const PER_DAY = 30;
/** How many times the limit of one network a /64, its /56 and its /48 may use (IPv4: an address, its /24 and its /16). */
const AROUND = [
  { name: 'network', factor: 1 },
  { name: 'site', factor: 4 },
  { name: 'region', factor: 8 },
] as const;
const NETWORK_POLICIES: readonly (readonly RatePolicy[])[] = AROUND.map(({ name, factor }) => [
  { name: `mail:${name}:hour`, limit: factor * PER_HOUR, windowMs: HOUR_MS },
  { name: `mail:${name}:day`, limit: factor * PER_DAY, windowMs: 24 * HOUR_MS },
]);
const THIS_MACHINE = networkOf('::1');

/** An address with a proved account, one with an account that waits for its proof, one with a sign-up that waits, or none of these. */
type Standing = 'owner' | 'approved' | 'stranger' | 'nobody';

/** Limits mails to addresses of which nobody has proved that their owner wants any (contract.md 4, S-55). Durable; never all off. */
@Injectable()
export class StrangerMails {
  readonly #limitsThisMachine: boolean;
  readonly #strangers: RatePolicy;
  readonly #approved: RatePolicy;

  constructor(
    private readonly limits: DurableLimits,
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    { rateLimitEnabled, rateLimitStrangerMails }: Settings,
  ) {
    this.#limitsThisMachine = rateLimitEnabled;
    this.#strangers = { name: 'mail:strangers', ...rateLimitStrangerMails };
    this.#approved = { name: 'mail:approved', ...rateLimitStrangerMails };
    for (const { name } of [this.#strangers, this.#approved]) limits.exceeded.expect(name);
  }

  /** What mails to an address count as. */
  async standingOf(email: string): Promise<Standing> {
    const user = await this.users.findByEmail(email);
    if (user !== null) return user.emailVerifiedAt === null ? 'approved' : 'owner';
    return (await this.pending.findNewest(email)) === null ? 'nobody' : 'stranger';
  }

  /** Counts a mail against the client network that asks for it and those around; false where it is over a limit. */
  async allowsNetwork(standing: Standing, network: string): Promise<boolean> {
    return standing !== 'stranger' || this.#allowsAround(network);
  }

  /** Counts a mail against the limit over all networks; approved addresses have a count of their own, which no stranger uses up. */
  async allowsInAll(standing: Standing): Promise<boolean> {
    if (standing === 'stranger') return this.#isWithin(this.#strangers);
    return standing !== 'approved' || this.#isWithin(this.#approved);
  }

  async #allowsAround(network: string): Promise<boolean> {
    if (!this.#limitsThisMachine && (network === THIS_MACHINE || isLoopback(network))) return true;
    const around = networksAround(network);
    for (const [level, policies] of NETWORK_POLICIES.entries()) {
      for (const policy of policies) {
        if ((await this.limits.consume(policy, around[level] ?? '')).isExceeded) return false;
      }
    }
    return true;
  }

  async #isWithin(policy: RatePolicy): Promise<boolean> {
    return !(await this.limits.consume(policy, 'all')).isExceeded;
  }
}
