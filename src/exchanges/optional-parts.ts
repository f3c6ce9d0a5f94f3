import type { Exchange } from './exchange.js';
import { notSupported } from './upstream-errors.js';

/** What an exchange lacks without a part of its contract, after its name. */
const LACKING = {
  transfers: 'has no shards to move money between.',
  canAmend: 'changes no order: cancel it, then send another.',
} as const;

/**
 * Returns a part of an exchange, or of its trading, that not every exchange has. Throws `not_supported` where the part is
 * missing.
 */
export function supported<Part>(part: Part | undefined, { name }: Exchange, kind: keyof typeof LACKING): Part {
  if (part === undefined) throw notSupported(`${name} ${LACKING[kind]}`);
  return part;
}
