import type { Secret } from '../secrets/secret.js';
import { isLoopback } from './loopback.js';

/** Options that the mail client takes from the query and that undo what the address says, as does anything below `tls.`. */
const UNSAFE = new Set([
  'host',
  'hostname',
  'ignoretls',
  'opportunistictls',
  'secure',
  'service',
  'tls',
  'proxy',
  'url',
]);

/**
 * Whether mails cannot be read on their way: TLS from the first byte (`smtps:`) or by a STARTTLS that is insisted on
 * (`smtp:…?requireTLS=true`), and the server's certificate is checked; or the server is on this machine. Plain `smtp:` would
 * use TLS where the server offers it, and an attacker on the way can remove the offer (RFC 8314, R-1).
 */
export function isSafeSmtp(url: Secret): boolean {
  const { protocol, hostname, searchParams } = new URL(url.reveal());
  const options = [...searchParams.keys()].map((name) => name.toLowerCase());
  if (options.some((name) => UNSAFE.has(name) || name.startsWith('tls.'))) return false;
  if (isLoopback(hostname) || protocol === 'smtps:') return true;
  const required = searchParams.getAll('requireTLS');
  return required.length === 1 && required[0] === 'true';
}
