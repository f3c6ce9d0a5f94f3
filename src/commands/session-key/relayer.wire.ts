import { z } from 'zod';
import { maybeFlag, maybeText } from '../../exchanges/polymarket/connection/wire.js';

/* What is used of the relayer's answers; unknown states are no end (polymarket.md 11.1). */

/** Always less than 2^256. */
const nonce = z.union([
  z.string().refine((text) => text.length <= 77 && /^\d+$/.test(text), 'not a number'),
  z.int().nonnegative().transform(String),
]);

const word = z
  .string()
  .refine((text) => text.length <= 64, 'too long')
  .transform((text) => text.toUpperCase());

/** It is shown at a terminal, and stands in a path. */
const transactionId = z
  .string()
  .refine((text) => /^[\w.:-]{1,128}$/.test(text), 'not an id')
  .nullish()
  .catch(null)
  .transform((id) => id ?? null);

/** The nonce of an owner's next batch. */
export const wireWalletParams = z.object({ nonce });

/** What becomes of a request to authorise or revoke a key. */
export const wireOperation = z.object({ status: word, transactionId, fenced: maybeFlag });

export type Operation = z.output<typeof wireOperation>;

/** How far a transaction is. */
export const wireTransaction = z.object({ state: word, error_msg: maybeText });
