import { Injectable, type OnModuleInit } from '@nestjs/common';
import { botIdOf } from '../access/principal.js';
import { ScopeRefusals } from '../access/scope-refusals.js';
import { RequestRates } from '../platform/limits/request-rates.js';
import { MailComposers } from '../platform/mail/mail-composers.js';
import { ActivityService } from './activity.service.js';
import { NOTICE_MAIL, OwnerNotices } from './owner-notices.js';

/** Records what others only report: mails that never left, limits that were passed, scopes that were missing (S-41, R-19). */
@Injectable()
export class ActivityHooks implements OnModuleInit {
  constructor(
    private readonly composers: MailComposers,
    private readonly rates: RequestRates,
    private readonly refusals: ScopeRefusals,
    private readonly activity: ActivityService,
    private readonly notices: OwnerNotices,
  ) {}

  onModuleInit(): void {
    this.composers.register(NOTICE_MAIL, this.notices);
    this.composers.onGivenUp(({ id, kind }) =>
      this.activity.record({ type: 'mail_given_up', userId: null, details: { mail_id: id, kind } }),
    );
    this.rates.onExceeded(({ name }) =>
      this.activity.record({ type: 'limit_hit', userId: null, details: { limit: name } }),
    );
    this.refusals.onRefusal((caller, needed) => {
      const { userId, keyPrefix } = caller;
      const botId = botIdOf(caller);
      return this.activity.record({
        type: 'scope_refused',
        userId,
        keyPrefix,
        botId,
        details: { required_scope: needed },
      });
    });
  }
}
