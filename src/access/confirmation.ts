import { Injectable } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Principal } from './principal.js';

/** Whether the person of a session has just proved who they are, where that is asked for (`CONFIRM_SENSITIVE`, S-59). */
@Injectable()
export class Confirmation {
  readonly #isOn: boolean;

  constructor(settings: Settings) {
    this.#isOn = settings.confirmSensitive;
  }

  isMissing(caller: Principal | undefined): boolean {
    return this.#isOn && !(caller?.kind === 'session' && caller.isConfirmed);
  }

  /** Throws 403 `forbidden`, reason `confirmation_required`: for a change of which only what is stored says that it makes power to trade. */
  assertConfirmed(caller: Principal | undefined): void {
    if (!this.isMissing(caller)) return;
    throw new AppError('forbidden', 'Confirm first that it is you: POST /account/confirm. Then send this again.', {
      details: { reason: 'confirmation_required' },
    });
  }
}
