import { AppError } from '../../platform/errors/app-error.js';
import { RelayerError } from './relayer.js';
import type { Operation } from './relayer.wire.js';
import type { WalletCall } from './wallet-call.js';
import { CommandFailure } from './failure.js';

/** What ends an operation without success (polymarket.md 11.1). */
const STATUS_FAILURES = {
  FAILED:
    "FAILED: the chain did not take it. Check that the wallet is a deposit wallet and that the owner key is its owner's, look " +
    'with `list` what holds, then run the command again.',
  SUPERSEDED:
    'SUPERSEDED: a newer request for this wallet took its place. Look with `list` what holds now, then run the command ' +
    'again where that is not what you want.',
  REPAIR_REQUIRED:
    'REPAIR_REQUIRED: chain and exchange disagree about this key, which only Polymarket can repair. Write to ' +
    'builder@polymarket.com; until then look with `list` what holds.',
} as const;

/** Returns the error of an operation that ended without success; null where it did not. */
export function statusFailure(status: string, transactionId: string | null): CommandFailure | null {
  const [, text] = Object.entries(STATUS_FAILURES).find(([known]) => known === status) ?? [];
  return text === undefined ? null : new CommandFailure(`${text}${namedTransaction(transactionId)}`);
}

const NO_RIGHT =
  'The relayer refused the Builder key. Check its three values first. If they are right, session-key management must be ' +
  'enabled for your Builder key: write to builder@polymarket.com. Nothing has changed.';

/** Where the command sends and reads. */
interface Addresses {
  readonly relayerUrl: string;
  readonly exchangeUrl: string;
}

/** Says in words what the owner is about to sign. */
export function signedInWords(call: WalletCall, owner: string, { relayerUrl, exchangeUrl }: Addresses): string[] {
  const { wallet, session, nonce, deadline, validUntil } = call;
  const what =
    validUntil === null
      ? [
          `  revoke       session key ${session}`,
          '  effect       it can no longer trade for the wallet, and its open orders are cancelled (those of others stay)',
        ]
      : [
          `  authorize    session key ${session}`,
          '  it may       trade for the wallet on the order book (scope CLOB, no other), with all the money there',
          '  it cannot    withdraw or move funds out of the wallet',
          `  valid until  ${timeOf(validUntil)} (Polymarket fixes this; to end it earlier, revoke the key)`,
        ];
  return [
    `With the owner key ${owner} you sign:`,
    `  wallet       ${wallet} (deposit wallet, chain 137)`,
    ...what,
    `  nonce        ${nonce}`,
    `  deadline     ${timeOf(deadline)}; later the signature is worth nothing`,
    `  sent to      ${relayerUrl}`,
    `  looked up at ${exchangeUrl}, by API credentials that the owner key asks for there`,
  ];
}

/** What to do next. */
export function afterAuthorization(end: Date | null): string[] {
  const body = JSON.stringify(end === null ? {} : { valid_until: timeLine(end) });
  return [
    `The session key may trade. Next, in the service: POST /account/credentials/polymarket/session-key/activate with ${body}`,
    'Parts of the exchange may need 65 s more to know the key.',
  ];
}

export function afterRevocation({ status, transactionId }: Operation): string[] {
  const chain =
    status === 'CONFIRMED' || transactionId === null ? [] : [`The chain follows: transaction ${transactionId}.`];
  return [
    'The session key can no longer trade, and its open orders are cancelled. Parts of the exchange may take 65 s to know.',
    ...chain,
    'Remove it from the service too: DELETE /account/credentials/polymarket/session-key.',
  ];
}

/** Turns what the relayer refused, or did not answer, into words; `sent` is null where nothing was to be changed. */
export function relayerFailure(
  { status, words, cause }: RelayerError,
  sent: { readonly owner: string; readonly wallet: string; readonly mayHaveArrived: boolean } | null,
): CommandFailure {
  const said = words === null ? '' : ` It said: ${words}`;
  const options = cause === undefined ? {} : { cause };
  if (sent === null)
    return new CommandFailure(`The relayer ${unanswered(status)}. Nothing was signed.${said}`, 1, options);
  if (sent.mayHaveArrived) {
    return new CommandFailure(
      `It is not known whether the relayer took the request: it ${unanswered(status)}. Look with \`list\` in some minutes; ` +
        `run the command again where nothing has changed.${said}`,
      1,
      options,
    );
  }
  if (status === 401 || status === 403) return new CommandFailure(`${NO_RIGHT}${said}`, 1, options);
  if (status === null || status === 429 || status >= 500) {
    return new CommandFailure(
      `The relayer ${unanswered(status)}. Nothing has changed; try again later.${said}`,
      1,
      options,
    );
  }
  return new CommandFailure(
    `The relayer refused the request, so nothing has changed. Check that ${sent.wallet} is a deposit wallet and that ` +
      `${sent.owner} is its owner: that is the address of the owner key. If another change was made at the same time, run ` +
      `the command again.${said}`,
    1,
    options,
  );
}

/** Turns an error of the exchange into words for the owner; anything else is passed on. */
export function exchangeFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { exchange } = error.details ?? {};
  const said = exchange?.message === undefined ? '' : ` It said: ${exchange.message}`;
  const message =
    error.code === 'credentials_rejected' || error.code === 'exchange_rejected'
      ? `Polymarket refused the owner key, or has no deposit wallet of it.${said}`
      : `Polymarket ${unanswered(exchange?.status ?? null)}. Try again later.${said}`;
  return new CommandFailure(message, 1, { cause: error });
}

/** The error of a change that was sent, and is not seen to be done in time; `trouble` is what the last look failed by. */
export function unconfirmed(what: string, transactionId: string | null, trouble: Error | null): CommandFailure {
  const last = trouble === null ? '' : ` The last look failed: ${lookFailure(trouble)}`;
  return new CommandFailure(
    `Gave up waiting: ${what}. It may still happen: look with \`list\` before you run the command again.` +
      `${namedTransaction(transactionId)}${last}`,
  );
}

function lookFailure(trouble: Error): string {
  if (trouble instanceof RelayerError) return `the relayer ${unanswered(trouble.status)}.`;
  const told = exchangeFailure(trouble);
  return told instanceof CommandFailure ? told.message : '';
}

function namedTransaction(id: string | null): string {
  return id === null ? '' : ` Transaction ${id}.`;
}

/** What the exchange wrote, without what a terminal may obey. */
export function printable(text: string): string {
  return text.slice(0, 200).replace(/[^\x21-\x7e]/g, '?');
}

/** A time in words of ISO 8601. */
export function timeLine(end: Date | null): string {
  return end?.toISOString() ?? 'not stated';
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function unanswered(status: number | null): string {
  return status === null ? 'could not be reached, or gave no usable answer' : `answered with status ${status}`;
}
