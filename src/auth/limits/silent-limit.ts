import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Requests that are over their limit, but must be answered as if they were not (DESIGN 4, forgot-password). */
@Injectable()
export class SilentLimit {
  readonly #requests = new WeakSet<Request>();

  mark(request: Request): void {
    this.#requests.add(request);
  }

  isExceeded(request: Request): boolean {
    return this.#requests.has(request);
  }
}
