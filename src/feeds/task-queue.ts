/** Tasks that wait at most: who has more waits for something that does not come. */
const MOST_WAITING = 2_000;

/** Does tasks one after the other, in the order in which they came. */
export class TaskQueue {
  #tasks: (() => Promise<void>)[] = [];
  #isWorking = false;

  /** `failed` learns of each task that fails; those behind it are done all the same. */
  constructor(private readonly failed: (error: unknown) => void) {}

  /** Adds a task; false where too many waited: those before it are dropped then. */
  add(task: () => Promise<void>): boolean {
    const isFull = this.#tasks.length >= MOST_WAITING;
    if (isFull) this.clear();
    this.#tasks.push(task);
    if (!this.#isWorking) void this.#work();
    return !isFull;
  }

  clear(): void {
    this.#tasks = [];
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      try {
        await task();
      } catch (error) {
        this.failed(error);
      }
    }
    this.#isWorking = false;
  }
}
