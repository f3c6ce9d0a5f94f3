import { parseArgs } from 'node:util';
import { withChecksum } from '../../exchanges/polymarket/ethereum.js';
import { CommandFailure } from './failure.js';

const USAGE = [
  'Usage: npm run polymarket:session-key -- authorize --wallet 0x… --session 0x… [--yes]',
  '       npm run polymarket:session-key -- list --wallet 0x…',
  '       npm run polymarket:session-key -- revoke --wallet 0x… --session 0x… [--yes]',
  '',
  'For the owner of a Polymarket deposit wallet. --wallet is the deposit wallet, --session the address of the session key',
  "that the service showed. The owner's private key and the Builder key are taken from POLYMARKET_OWNER_KEY,",
  'POLYMARKET_BUILDER_API_KEY, POLYMARKET_BUILDER_SECRET and POLYMARKET_BUILDER_PASSPHRASE, or typed; never from arguments.',
].join('\n');

const SECRET_IN_ARGUMENTS =
  'A key stands among the arguments, where other programs and the history of the shell can read it: treat it as known to ' +
  'others. Nothing was done. Keys are taken from the environment, or typed when the command asks for them.';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Longer than any address: nothing else of such a length is ever asked for. */
const KEY_LIKE = /[0-9a-fA-F]{64}/;
const KEY_OPTION = /^--?(?:poly\w*-)?(?:owner|builder|secret|passphrase|private)/i;

/** What the command is asked to do; addresses have their checksum. */
export type Asked =
  | { readonly action: 'list'; readonly wallet: string }
  | {
      readonly action: 'authorize' | 'revoke';
      readonly wallet: string;
      readonly session: string;
      readonly isSure: boolean;
    };

const OPTIONS = { wallet: { type: 'string' }, session: { type: 'string' }, yes: { type: 'boolean' } } as const;

/** Reads the words behind the command. Throws CommandFailure, which repeats none of them. */
export function readWords(words: readonly string[]): Asked {
  if (words.some((word) => KEY_LIKE.test(word) || KEY_OPTION.test(word)))
    throw new CommandFailure(SECRET_IN_ARGUMENTS, 2);
  const { positionals, values } = parse(words);
  const [action, ...others] = positionals;
  if (others.length > 0) throw usage();
  const wallet = addressOf('--wallet', values.wallet);
  if (action === 'list' && values.session === undefined && values.yes === undefined) return { action, wallet };
  if (action !== 'authorize' && action !== 'revoke') throw usage();
  const session = addressOf('--session', values.session);
  if (session === wallet) throw usage('--session must be the address of the session key, not of the wallet.');
  return { action, wallet, session, isSure: values.yes === true };
}

function parse(words: readonly string[]): ReturnType<typeof parseStrictly> {
  try {
    return parseStrictly(words);
  } catch {
    // The cause repeats the words.
    throw usage();
  }
}

function parseStrictly(words: readonly string[]) {
  return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true, strict: true });
}

function addressOf(option: string, value: string | undefined): string {
  if (value === undefined) throw usage();
  if (!ADDRESS.test(value) || BigInt(value) === 0n) throw usage(`${option} must be an address: 0x and 40 hex digits.`);
  return withChecksum(value);
}

function usage(fault?: string): CommandFailure {
  return new CommandFailure([...(fault === undefined ? [] : [fault, '']), USAGE].join('\n'), 2);
}
