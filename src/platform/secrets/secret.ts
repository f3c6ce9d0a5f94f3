import { inspect } from 'node:util';

/**
 * A value that must not be shown: `reveal()` is the only way to it, used in the line that needs it (CONTRIBUTING.md 4, S-39).
 * Printing, logging or serialising it shows `[secret]`.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
