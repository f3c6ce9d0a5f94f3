import { Secret } from '../crypto/secret.js';
import type { SettingFault } from './environment.js';

const MIN_PRODUCTION_COST = 10;

function isPlainHttp(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('http:');
}

function revealed(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(revealed);
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Secret) return [value.reveal()];
  return 'key' in value ? revealed(value.key) : [];
}

function repeatedSecrets(core: ReadonlyMap<string, unknown>): SettingFault[] {
  const seen = new Map<string, string>();
  const faults: SettingFault[] = [];
  for (const name of ['JWT_SECRET', 'ENCRYPTION_KEYS', 'PASSWORD_PEPPER']) {
    for (const secret of revealed(core.get(name))) {
      const other = seen.get(secret);
      if (other !== undefined && other !== name) faults.push({ name, expected: `different from ${other}` });
      seen.set(secret, name);
    }
  }
  return faults;
}

/** What production refuses: missing or repeated secrets, no database or mail server, `http:` addresses (R-1, S-50). */
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
  const cost = core.get('BCRYPT_COST');
  return [
    ...missing.map((name) => ({ name, expected: 'set in production' })),
    ...[...plain, ...plainExchanges].map((name) => ({ name, expected: 'an https: address in production' })),
    ...(typeof cost === 'number' && cost < MIN_PRODUCTION_COST
      ? [{ name: 'BCRYPT_COST', expected: `at least ${MIN_PRODUCTION_COST} in production` }]
      : []),
    ...repeatedSecrets(core),
  ];
}
