import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isLoopback } from '../../platform/config/loopback.js';
import { Settings } from '../../platform/config/settings.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { networkOf, networksAround } from '../../platform/limits/client-network.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import type { RatePolicy } from '../../platform/limits/rate.js';
import type { MailComposer, MailContent, MailJob } from '../../platform/mail/mail.js';
import { UsersService } from '../../users/users.service.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** To one address, of one kind: from one network an hour and a day, then from all networks that the account does not know. */
const PER_HOUR: RatePolicy = { name: 'mail:hour', limit: 3, windowMs: HOUR_MS };
const PER_DAY: RatePolicy = { name: 'mail:day', limit: 10, windowMs: 24 * HOUR_MS };
const STEADY: RatePolicy = { name: 'mail:steady', limit: 1, windowMs: 15 * MINUTE_MS };
const BURST: RatePolicy = { name: 'mail:burst', limit: 100, windowMs: 24 * HOUR_MS };
/** To all addresses without an account, from one network. */
const STRANGERS_PER_HOUR = 10;
const STRANGERS_PER_DAY = 30;
/** How many times these limits a /64, its /56 and its /48 may use (IPv4: an address, its /24 and its /16). */
const AROUND = [
  { name: 'network', factor: 1 },
  { name: 'site', factor: 4 },
  { name: 'region', factor: 8 },
] as const;
const NETWORK_POLICIES: readonly (readonly RatePolicy[])[] = AROUND.map(({ name, factor }) => [
  { name: `mail:${name}:hour`, limit: factor * STRANGERS_PER_HOUR, windowMs: HOUR_MS },
  { name: `mail:${name}:day`, limit: factor * STRANGERS_PER_DAY, windowMs: 24 * HOUR_MS },
]);
const THIS_MACHINE = networkOf('::1');

/**
 * An address with a proved account, one with an account that waits for its proof, one with a sign-up that waits, or none of
 * these.
 */
type Standing = 'owner' | 'approved' | 'stranger' | 'nobody';

/**
 * Limits mails to addresses of which nobody has proved that their owner wants any (contract.md 4, S-55). Durable; never all off.
 */
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

  /**
   * Counts a mail against the limit over all networks; approved addresses have a count of their own, which no stranger uses up.
   */
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

/** An older version stored no network with a mail. */
const DATA = z.object({ network: z.string().default(networkOf('')) });

/** A request for a mail. */
interface AskedMail {
  readonly kind: string;
  /** Canonical (S-8). */
  readonly email: string;
  /** From where it was asked for: a client network (S-26). */
  readonly network: string;
}

/**
 * Limits the mails that strangers can cause to an address (contract.md 4, S-55); never switched off.
 *
 * Each kind has its own count, and within a kind each network that asks, so that no network uses up the mails of another. A
 * stranger with many networks is limited too: all networks from which nobody signed in to the account within 400 days share
 * 100 mails a day, and one more every 15 minutes. Even where a stranger has used up these, the owner gets a mail every 15 minutes,
 * and its link lives longer than that (a reset's 30 minutes, a verification's 24 h). Addresses without an account have the limits of
 * `StrangerMails` as well. The limit of the asking network is counted first: a mail past it does not count for all networks.
 */
@Injectable()
export class MailLimits {
  constructor(
    private readonly limits: DurableLimits,
    private readonly devices: KnownDevicesRepository,
    private readonly strangers: StrangerMails,
  ) {}

  /** Counts a mail; false where it is over a limit and must not be sent. */
  async allows({ kind, email, network }: AskedMail): Promise<boolean> {
    const address = `${kind}:${sha256(email).toString('base64url')}`;
    const isOverForNetwork = await this.#isOver(`${address}:${network}`, PER_HOUR, PER_DAY);
    if (isOverForNetwork) return false;
    if (await this.devices.isKnownNetwork(email, network)) return true;
    const standing = await this.strangers.standingOf(email);
    if (!(await this.strangers.allowsNetwork(standing, network))) return false;
    if ((await this.#isOver(address, STEADY)) && (await this.#isOver(address, BURST))) return false;
    return this.strangers.allowsInAll(standing);
  }

  /** Counts in turn, up to the first limit that is passed. */
  async #isOver(key: string, ...policies: readonly RatePolicy[]): Promise<boolean> {
    for (const policy of policies) {
      if ((await this.limits.consume(policy, key)).isExceeded) return true;
    }
    return false;
  }
}

/** Counts what strangers can cause, once a mail, before it is composed: a mail over the limit makes no token (S-6). */
export class LimitedComposer implements MailComposer {
  constructor(
    private readonly limits: MailLimits,
    private readonly composer: MailComposer,
  ) {}

  async compose(job: MailJob): Promise<MailContent | null> {
    if (job.attempts === 1 && !(await this.#isAllowed(job))) return null;
    return this.composer.compose(job);
  }

  #isAllowed({ kind, recipient: email, data }: MailJob): Promise<boolean> {
    return this.limits.allows({ kind, email, network: DATA.parse(data).network });
  }
}
