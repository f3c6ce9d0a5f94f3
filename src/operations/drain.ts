import { Injectable } from '@nestjs/common';

/** Whether the service is shutting down. */
@Injectable()
export class Drain {
  #started = false;

  get started(): boolean {
    return this.#started;
  }

  start(): void {
    this.#started = true;
  }
}
