import { Injectable } from '@nestjs/common';

/** Whether the service is shutting down. */
@Injectable()
export class Drain {
  #started = false;
  readonly #begun: (() => void)[] = [];

  get started(): boolean {
    return this.#started;
  }

  /** Calls `work` when the service begins to shut down: what would go on for ever ends then. */
  onStart(work: () => void): void {
    this.#begun.push(work);
  }

  start(): void {
    this.#started = true;
    for (const work of this.#begun) work();
  }
}
