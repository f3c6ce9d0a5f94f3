/** Work in the background that is done again and again, never twice at once. Its timer keeps no process alive. */
export class Periodic {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasStopped = false;

  /** Work without `onFailure` never rejects. */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly onFailure?: (error: unknown) => void,
  ) {}

  /** For long work: it ends early then. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  start(firstAfterMs = this.everyMs): void {
    this.#timer = setTimeout(() => {
      this.run();
      this.start();
    }, firstAfterMs).unref();
  }

  /** Begins a run now, unless one is under way or no more are wanted. */
  run(): void {
    if (this.#hasStopped) return;
    this.#running ??= this.work()
      .catch(this.onFailure)
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Begins no run any more, and waits for the one that is under way. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
