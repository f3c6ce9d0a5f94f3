import { Injectable } from '@nestjs/common';
import { botRate, commonRate } from '../access/common-rate.js';
import { Confirmation } from '../access/confirmation.js';
import type { SessionPrincipal } from '../access/principal.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import type { BotTerms } from './bot.js';
import { mergedTerms, widens } from './bot-terms.js';
import type { ChangeBotDto } from './bot-terms.dto.js';
import { BotsRepository } from './bots.repository.js';

function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

export function nameTaken(): AppError {
  return new AppError('bot_name_taken', 'Another bot of yours has this name. Choose another.');
}

/** Checks what the owner of a bot says of it (contract.md 5.11). */
@Injectable()
export class BotTermsCheck {
  /** What a bot without `max_requests_per_minute` may take; undefined where requests are not limited. */
  readonly #ownRequests: number | undefined;

  constructor(
    private readonly exchanges: ExchangeRegistry,
    private readonly confirmation: Confirmation,
    private readonly repository: BotsRepository,
    settings: Settings,
  ) {
    const common = commonRate(settings);
    this.#ownRequests = common === null ? undefined : perMinute(botRate(common, { requestsPerMinute: null }));
  }

  /** The terms with what was given in place of what was there. Throws `bad_request`. */
  merged(before: BotTerms, given: ChangeBotDto): BotTerms {
    return mergedTerms(before, given, this.exchanges.all);
  }

  /** Throws 403 `forbidden` where the bot may do more afterwards and the session is to be confirmed first (S-59). */
  assertMayChange(caller: SessionPrincipal, before: BotTerms, after: BotTerms): void {
    if (widens(before, after, this.#ownRequests)) this.confirmation.assertConfirmed(caller);
  }

  /** Throws `bot_name_taken` where another living bot of the user has this name, without case. Needs the lock of the account. */
  async assertNameIsFree(userId: string, name: string, ownId?: string): Promise<void> {
    const names = await this.repository.listNames(userId);
    const wanted = comparable(name);
    if (names.some((bot) => bot.id !== ownId && comparable(bot.name) === wanted)) throw nameTaken();
  }
}

function perMinute({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }): number {
  return Math.floor((limit * 60_000) / windowMs);
}
