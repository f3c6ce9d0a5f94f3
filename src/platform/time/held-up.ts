/**
 * Returns a function that says whether so much time, in ms, has passed since. It reads two clocks, since one of them stops while a machine
 * sleeps, and the other may be set.
 */
export function longerThan(ms: number): () => boolean {
  const [wall, running] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - running) >= ms;
}
