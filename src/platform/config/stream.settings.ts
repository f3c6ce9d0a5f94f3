import { duration, wholeNumber } from './setting.js';

/** Settings of streams (contract.md 2, 5.14). */
export const STREAM_SETTINGS = {
  STREAM_FLUSH: duration({
    description: 'changes of one market within this time are one message of a stream; 0 is off',
    fallback: '20ms',
    minMs: 0,
    maxMs: 1_000,
    range: 'from 0 to 1s',
  }),
  STREAMS_PER_KEY: wholeNumber({
    description: 'streams that one key or session may have open at an instance',
    fallback: '20',
    min: 1,
    max: 100_000,
  }),
  STREAMS_PER_USER: wholeNumber({
    description: 'streams that one user may have open at an instance; 5 of them are kept for sessions',
    fallback: '100',
    min: 1,
    max: 100_000,
  }),
  STREAMS_MAX: wholeNumber({
    description: 'streams of an instance; half of them are kept for users with stored credentials',
    fallback: '500',
    min: 1,
    max: 100_000,
  }),
} as const;
