import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/digests.js';
import { DurableLimits } from '../../platform/limits/durable-limits.repository.js';
import type { RatePolicy } from '../../platform/limits/rate.js';

const HOUR_MS = 3_600_000;
const PER_HOUR: RatePolicy = { name: 'mail:hour', limit: 3, windowMs: HOUR_MS };
const PER_DAY: RatePolicy = { name: 'mail:day', limit: 10, windowMs: 24 * HOUR_MS };

/** How many mails strangers can cause an address to get (security.md 1); never switched off. */
@Injectable()
export class MailLimits {
  constructor(private readonly limits: DurableLimits) {}

  /** Counts a mail to a canonical address; false where it is one too many and must not be sent. */
  async allows(email: string): Promise<boolean> {
    const key = sha256(email).toString('base64url');
    if ((await this.limits.consume(PER_HOUR, key)).isExceeded) return false;
    return !(await this.limits.consume(PER_DAY, key)).isExceeded;
  }
}
