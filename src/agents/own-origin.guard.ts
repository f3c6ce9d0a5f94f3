import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';

/** Refuses pages of other origins, so that none reaches the tools by a name that leads to this machine (DNS rebinding). */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  readonly #own: string;

  constructor({ publicUrl }: Settings) {
    this.#own = new URL(publicUrl).origin;
  }

  canActivate(context: ExecutionContext): true {
    const { origin } = context.switchToHttp().getRequest<Request>().headers;
    if (origin === undefined || origin === this.#own) return true;
    throw new AppError('forbidden', 'Pages of other origins than PUBLIC_URL may not call the tools.');
  }
}
