import { setTimeout as delay } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';

/** Longer than the work of a call that hashes nothing, on a busy machine too. */
const FLOOR_MS = 50;

/**
 * Answers, refusals too, no sooner than 50 ms after the call began: what is done for a known address and not for an
 * unknown one stays below what can be measured (S-5, S-6).
 */
@Injectable()
export class EvenTimeInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return defer(async () => {
      const floor = delay(FLOOR_MS);
      try {
        return await lastValueFrom<unknown>(next.handle());
      } finally {
        await floor;
      }
    });
  }
}
