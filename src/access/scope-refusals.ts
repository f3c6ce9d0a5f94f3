import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, Scope } from './principal.js';

type Listener = (caller: ApiKeyPrincipal, needed: Scope) => Promise<void>;

const REPEAT_AFTER_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Tells whoever keeps the record that a key was refused for its scope: once a minute for a key and scope (S-41). */
@Injectable()
export class ScopeRefusals {
  #listener: Listener | undefined;
  readonly #toldAt = new Map<string, number>();

  /** The one who keeps the record. */
  listen(listener: Listener): void {
    this.#listener = listener;
  }

  async tell(caller: ApiKeyPrincipal, needed: Scope): Promise<void> {
    const name = `${caller.userId} ${caller.keyPrefix} ${needed}`;
    const now = performance.now();
    if (now - (this.#toldAt.get(name) ?? -Infinity) < REPEAT_AFTER_MS) return;
    if (this.#toldAt.size >= MAX_REMEMBERED) this.#toldAt.clear();
    this.#toldAt.set(name, now);
    await this.#listener?.(caller, needed);
  }
}
