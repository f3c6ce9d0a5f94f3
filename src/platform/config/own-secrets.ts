import { Secret } from '../secrets/secret.js';
import type { SettingFault } from './environment.js';

/** Random bytes have about 30 of them in 32, hexadecimal digits about 16: what has fewer was typed, not drawn. */
const MIN_DIFFERENT_BYTES = 8;

const OWN_SECRETS = ['JWT_SECRET', 'ENCRYPTION_KEYS', 'PASSWORD_PEPPER'] as const;

/** Every single secret in the value of a setting. */
function revealed(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(revealed);
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Secret) return [value.reveal()];
  return 'key' in value ? revealed(value.key) : [];
}

/** Returns the secrets that two settings share. */
export function repeatedSecrets(core: ReadonlyMap<string, unknown>): SettingFault[] {
  const seen = new Map<string, string>();
  const faults: SettingFault[] = [];
  for (const name of OWN_SECRETS) {
    for (const secret of revealed(core.get(name))) {
      const other = seen.get(secret);
      if (other !== undefined && other !== name) faults.push({ name, expected: `different from ${other}` });
      seen.set(secret, name);
    }
  }
  return faults;
}

function isUniform(name: string, secret: string): boolean {
  const bytes = Buffer.from(secret, name === 'ENCRYPTION_KEYS' ? 'base64' : 'utf8');
  return new Set(bytes).size < MIN_DIFFERENT_BYTES;
}

/**
 * Secrets such as `000…` are as long as they must be and guessed at once. Outside production too, as the exchanges may
 * be the real ones there; only NODE_ENV=test, which says that nothing is real, may have fixed keys.
 */
export function uniformSecrets(core: ReadonlyMap<string, unknown>): SettingFault[] {
  if (core.get('NODE_ENV') === 'test') return [];
  return OWN_SECRETS.filter((name) => revealed(core.get(name)).some((secret) => isUniform(name, secret))).map(
    (name) => ({
      name,
      expected: `random: at least ${MIN_DIFFERENT_BYTES} different bytes in each secret (npm run secrets makes some)`,
    }),
  );
}
