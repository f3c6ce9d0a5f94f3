import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Requests that are over their limit, but must be answered as if they were not (DESIGN 4, forgot-password). */
@Injectable()
export class SilentLimit {
  readonly #requests = new WeakSet<Request>();

  mark(request: Request): void {
    this.#requests.add(request);
  }

  /** Does it, except for a marked request. */
  async unless(request: Request, work: () => Promise<void>): Promise<void> {
    if (!this.#requests.has(request)) await work();
  }
}
