import { Secret } from '../secrets/secret.js';
import type { SettingFault } from './environment.js';
import { repeatedSecrets } from './own-secrets.js';
import { isSafeSmtp } from './smtp-url.js';

const MIN_PRODUCTION_COST = 10;

function isPlainHttp(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('http:');
}

function isPlainSocket(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('ws:');
}

function smtpFaults(core: ReadonlyMap<string, unknown>): SettingFault[] {
  const url = core.get('SMTP_URL');
  if (!(url instanceof Secret) || core.get('SMTP_ALLOW_PLAINTEXT') === true || isSafeSmtp(url)) return [];
  const expected =
    'an smtps: address, or smtp: with ?requireTLS=true, in production and not on loopback, ' +
    'with no other option that touches TLS (SMTP_ALLOW_PLAINTEXT=true lifts this)';
  return [{ name: 'SMTP_URL', expected }];
}

/** What production refuses: missing or repeated secrets, no database or mail server, addresses without TLS (R-1, S-50). */
export function productionFaults(
  core: ReadonlyMap<string, unknown>,
  exchanges: ReadonlyMap<string, unknown>,
): SettingFault[] {
  if (core.get('NODE_ENV') !== 'production') return [];
  const required = ['PUBLIC_URL', 'DATABASE_URL', 'JWT_SECRET', 'ENCRYPTION_KEYS', 'PASSWORD_PEPPER', 'SMTP_URL'];
  const missing = required.filter((name) => core.has(name) && core.get(name) === undefined);
  const plain = ['PUBLIC_URL', 'GOOGLE_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL'].filter((name) =>
    isPlainHttp(core.get(name)),
  );
  const plainExchanges = [...exchanges].filter(([, value]) => isPlainHttp(value)).map(([name]) => name);
  const plainSockets = [...exchanges].filter(([, value]) => isPlainSocket(value)).map(([name]) => name);
  const cost = core.get('BCRYPT_COST');
  return [
    ...missing.map((name) => ({ name, expected: 'set in production' })),
    ...[...plain, ...plainExchanges].map((name) => ({ name, expected: 'an https: address in production' })),
    ...plainSockets.map((name) => ({ name, expected: 'a wss: address in production' })),
    ...(typeof cost === 'number' && cost < MIN_PRODUCTION_COST
      ? [{ name: 'BCRYPT_COST', expected: `at least ${MIN_PRODUCTION_COST} in production` }]
      : []),
    ...repeatedSecrets(core),
    ...smtpFaults(core),
  ];
}
