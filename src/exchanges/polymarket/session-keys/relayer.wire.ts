import { z } from 'zod';
import { maybeFlag, maybeText } from '../connection/wire.js';

/* What is used of the relayer's answers; unknown states are no end (polymarket-2026.md 4.1). */

const nonce = z.union([
  z.string().refine((text) => text.length <= 78 && /^\d+$/.test(text), 'not a number'),
  z.int().nonnegative().transform(String),
]);

const word = z
  .string()
  .refine((text) => text.length <= 64, 'too long')
  .transform((text) => text.toUpperCase());

/** The nonce of an owner's next batch. */
export const wireWalletParams = z.object({ nonce });

/** What becomes of a request to authorise or revoke a key. */
export const wireOperation = z.object({ status: word, transactionId: maybeText, fenced: maybeFlag });

export type Operation = z.output<typeof wireOperation>;

/** How far a transaction is. */
export const wireTransaction = z.object({ state: word, error_msg: maybeText });
