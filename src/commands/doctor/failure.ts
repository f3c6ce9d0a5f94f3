import { isNativeError } from 'node:util/types';
import { redactPatterns } from '../../platform/logging/redaction.js';

const LONGEST_REASON = 200;

/** Everything but printable ASCII: it could move a cursor or hide what follows. */
const UNFIT = /[^\x20-\x7e]/gu;

/** What codes of the operating system, of TLS, of PostgreSQL (SQLSTATE) and of mail and Redis servers mean, in plain words. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens at that address and port',
  ECONNRESET: 'the connection was broken off',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up: the name server does not answer',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it does not answer in time',
  EPIPE: 'the connection was broken off',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOENT: 'it is not there',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system can only be read',
  CERT_HAS_EXPIRED: 'the certificate of the server has ended',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the server is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the server is signed by nobody who is known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of the server is signed by nobody who is known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the server is signed by nobody who is known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another host',
  '28000': 'the server refuses this user',
  '28P01': 'the server refuses the user or the password',
  '3D000': 'there is no such database',
  '42501': 'this user may not read what is needed',
  '53300': 'the server has no connection left',
  '57P03': 'the server is starting or stopping',
  EAUTH: 'the server refuses the user or the password',
  ECONNECTION: 'there is no connection to the server',
  EDNS: 'the host name is not known',
  EENVELOPE: 'the server refuses the sender',
  EPROTOCOL: 'the server does not speak SMTP',
  ESOCKET: 'the connection broke, or its TLS is not what was asked for',
  ETLS: 'TLS could not be started',
  NOAUTH: 'the server wants a password',
  WRONGPASS: 'the server refuses the user or the password',
  NOPERM: 'the user may not do what is needed',
};

/** Redis and our own client of other servers name an error in a word of its text; digits alone may be a port. */
const CODE_WORD = /^[A-Z][A-Z_]{3,50}$/;

function codesOf(error: Error): string[] {
  const code: unknown = Reflect.get(error, 'code');
  const words = error.message
    .slice(0, LONGEST_REASON)
    .split(/[^A-Z_]/)
    .filter((word) => CODE_WORD.test(word));
  const inner = isNativeError(error.cause) ? codesOf(error.cause) : [];
  return [...(typeof code === 'string' ? [code] : []), ...words, ...inner];
}

/** One line of printable text, without anything that looks like a secret (S-40). */
export function plain(text: string, longest = LONGEST_REASON): string {
  const line = redactPatterns(text.slice(0, 4 * longest)).replace(UNFIT, ' ');
  return line.length > longest ? `${line.slice(0, longest)}...` : line;
}

/** Why something failed, in plain words where its code is known; never more of a stranger's text than one cleaned line. */
export function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return 'unknown fault';
  const known = codesOf(error).find((code) => code in MEANINGS);
  const meaning = known === undefined ? undefined : MEANINGS[known];
  if (meaning !== undefined) return `${meaning} (${known})`;
  return plain(error.message || error.name).replace(/\.$/, '');
}
