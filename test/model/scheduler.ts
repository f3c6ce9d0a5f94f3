import { AsyncLocalStorage } from 'node:async_hooks';

/** One running piece of work that stops at every gate until it is let through. */
export class Task<Result> {
  readonly result: Promise<Result>;
  hasEnded = false;
  /** What it waits to do; null while it runs and after its end. */
  gate: string | null = null;
  #open: () => void = () => undefined;
  #stopped: () => void = () => undefined;

  constructor(
    readonly instance: number,
    work: (task: Task<Result>) => Promise<Result>,
  ) {
    this.result = current.run(this, () => Promise.resolve().then(() => work(this)));
    const end = (): void => {
      this.hasEnded = true;
      this.#stopped();
    };
    this.result.then(end, end);
  }

  /** Until it comes to its first gate. */
  async start(): Promise<void> {
    if (this.hasEnded || this.gate !== null) return;
    await this.#nextStop();
  }

  /** Lets it through its gate, and waits until it stands at the next one or has ended. */
  async step(): Promise<void> {
    if (this.gate === null) return;
    this.gate = null;
    const stopped = this.#nextStop();
    this.#open();
    await stopped;
  }

  async runToEnd(): Promise<void> {
    while (!this.hasEnded) await this.step();
  }

  stopAt(gate: string): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#open = resolve;
    });
    this.gate = gate;
    this.#stopped();
    return opened;
  }

  #nextStop(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopped = resolve;
    });
  }
}

const current = new AsyncLocalStorage<Task<unknown>>();

/** Stands at a gate until the schedule lets the task on; a process that dies here never goes on. */
export async function gate(name: string): Promise<void> {
  await current.getStore()?.stopAt(name);
}
