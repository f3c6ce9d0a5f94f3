/** `npm run test:long` sets it. */
const IS_LONG = process.env.TEST_LONG === 'true';

/** How many rounds, runs or seconds a test takes: `short` among the others in `npm test`, `long` in `npm run test:long`. */
export function rounds(short: number, long: number): number {
  return IS_LONG ? long : short;
}
