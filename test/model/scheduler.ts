import { AsyncLocalStorage } from 'node:async_hooks';

/** One running piece of work that stops at every gate until it is let through. */
export class Task<Result> {
  readonly result: Promise<Result>;
  hasEnded = false;
  /** What it waits to do; null while it runs and after its end. */
  gate: string | null = null;
  #open: () => void = () => undefined;
  #stopped: () => void = () => undefined;
  /** Ends with the last of its works that take turns. */
  #turn: Promise<unknown> = Promise.resolve();

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

  /** One after another: of several works at once each comes to its gates alone. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
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

/** What the current task does from gate to gate, where it does several things at once. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const task = current.getStore();
  return task === undefined ? work() : task.inTurn(work);
}

/** The task that runs; undefined outside of all. */
export function currentTask(): object | undefined {
  return current.getStore();
}
