/** How often the markets move, and how many of each exchange at a time. */
const EVERY_MS = 1_000;
const AT_ONCE = 2;

/** Moves the markets of all exchanges every second until it is closed. */
export function startMoves(movers: readonly { step(): void }[]): { close(): Promise<void> } {
  const timer = setInterval(() => {
    for (const mover of movers) for (let at = 0; at < AT_ONCE; at += 1) mover.step();
  }, EVERY_MS).unref();
  return {
    close: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}
