import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, Scope } from './principal.js';

type Recorder = (caller: ApiKeyPrincipal, needed: Scope) => Promise<void>;

const REPEAT_AFTER_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Reports a key that was refused for its scope to the recorder: once a minute for a key and scope (S-41). */
@Injectable()
export class ScopeRefusals {
  #recorder: Recorder | undefined;
  readonly #reportedAt = new Map<string, number>();

  /** Sets the recorder. */
  onRefusal(recorder: Recorder): void {
    this.#recorder = recorder;
  }

  async report(caller: ApiKeyPrincipal, needed: Scope): Promise<void> {
    const name = `${caller.userId} ${caller.keyPrefix} ${needed}`;
    const now = performance.now();
    if (now - (this.#reportedAt.get(name) ?? -Infinity) < REPEAT_AFTER_MS) return;
    if (this.#reportedAt.size >= MAX_REMEMBERED) this.#reportedAt.clear();
    this.#reportedAt.set(name, now);
    await this.#recorder?.(caller, needed);
  }
}
