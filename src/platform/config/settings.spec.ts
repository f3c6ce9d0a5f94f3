import { existsSync, mkdtempSync, readFileSync, statSync, chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { baseUrl, socketUrl } from './setting.js';
import { Settings, SettingsError } from './settings.js';

const SECRETS = {
  JWT_SECRET: 'jwt-secret-0123456789-abcdefghijklmnop',
  ENCRYPTION_KEYS: `k1:${Buffer.from('a key of exactly 32 bytes, fixed').toString('base64')}`,
  PASSWORD_PEPPER: 'pepper-0123456789-abcdefghijklmnopqrst',
};

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://proxy.example.com',
  DATABASE_URL: 'postgresql://u:p@db/x',
  SMTP_URL: 'smtps://u:p@mail.example.com',
  ...SECRETS,
};

const EXCHANGE = {
  SOME_API_URL: baseUrl({ description: 'an exchange', fallback: 'https://exchange.example.com' }),
  SOME_WS_URL: socketUrl({ description: 'its feed', fallback: 'wss://exchange.example.com/ws' }),
};

function faultsOf(environment: Record<string, string | undefined>): Record<string, string> {
  try {
    Settings.read(environment, EXCHANGE);
  } catch (error) {
    if (error instanceof SettingsError) return Object.fromEntries(error.faults.map((f) => [f.name, f.expected]));
    throw error;
  }
  return {};
}

function freshDir(): string {
  return mkdtempSync(join(tmpdir(), 'settings-'));
}

describe('Settings (contract.md 2)', () => {
  it('reads the defaults of contract.md 2', () => {
    const settings = Settings.read(SECRETS);
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databasePoolMax: 10,
      accessMode: 'open',
      accessTokenTtlMs: 900_000,
      refreshTokenTtlMs: 2_592_000_000,
      bcryptCost: 12,
      upstreamTimeoutMs: 10_000,
      marketDataCacheTtlMs: 250,
      apiKeyCacheTtlMs: 1_000,
      fastLane: true,
      rateLimitAuth: { limit: 30, windowMs: 60_000 },
      rateLimitApi: { limit: 1200, windowMs: 60_000 },
      mailFrom: 'Trading Proxy <no-reply@localhost>',
      corsOrigins: ['http://localhost:3000', 'http://127.0.0.1:3000'],
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('R-1 reports all faults together, by name and never with the value', () => {
    const environment = {
      ...SECRETS,
      PORT: 'canary-1',
      ACCESS_MODE: 'canary-2',
      JWT_SECRET: 'canary-3',
      SOME_API_URL: 'canary-4',
    };
    expect(Object.keys(faultsOf(environment)).sort()).toEqual(['ACCESS_MODE', 'JWT_SECRET', 'PORT', 'SOME_API_URL']);
    expect(() => Settings.read(environment, EXCHANGE)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('canary') }),
    );
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '3000x'],
    ['ACCESS_TOKEN_TTL', '15'],
    ['ACCESS_TOKEN_TTL', '999ms'],
    ['REFRESH_TOKEN_TTL', '1.5h'],
    ['API_KEY_CACHE_TTL', '6s'],
    ['RATE_LIMIT_AUTH', '30'],
    ['RATE_LIMIT_ENABLED', 'yes'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['JWT_SECRET', `${'x'.repeat(32)},${'x'.repeat(32)}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(31).toString('base64')}`],
    ['ENCRYPTION_KEYS', `${SECRETS.ENCRYPTION_KEYS},${SECRETS.ENCRYPTION_KEYS}`],
    ['BCRYPT_COST', '3'],
    ['TRUST_PROXY', 'bogus'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '999.1.1.1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['HOST', '256.1.1.1'],
    ['DATABASE_URL', 'mysql://x/y'],
    ['SOME_API_URL', 'ftp://x'],
    ['SOME_WS_URL', 'https://exchange.example.com/ws'],
    ['SOME_WS_URL', 'wss://user@exchange.example.com/ws'],
    ['PUBLIC_URL', 'https://user:pass@x'],
    ['CORS_ORIGINS', 'https://x/path'],
    ['GOOGLE_ISSUER', 'http://accounts.example.com'],
    ['GOOGLE_ISSUER', 'http://127.0.0.1.example.com'],
    ['GOOGLE_ISSUER', 'https://user@accounts.example.com'],
    ['MAIL_FROM', 'a@b.c\r\nBcc: d@e.f'],
  ])('S-46 refuses %s=%s', (name, value) => {
    expect(Object.keys(faultsOf({ ...SECRETS, [name]: value }))).toEqual([name]);
  });

  it.each([
    ['JWT_SECRET', '0'.repeat(64)],
    ['JWT_SECRET', 'ab'.repeat(32)],
    ['JWT_SECRET', `${SECRETS.JWT_SECRET},${'1234567'.repeat(10)}`],
    ['PASSWORD_PEPPER', 'x'.repeat(32)],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.from('1234567'.repeat(5).slice(0, 32)).toString('base64')}`],
    ['ENCRYPTION_KEYS', `${SECRETS.ENCRYPTION_KEYS},k0:${Buffer.alloc(32, 9).toString('base64')}`],
  ])('R-1 refuses a secret of few different bytes in %s, by name and without its value: %s', (name, value) => {
    for (const base of [SECRETS, PRODUCTION]) {
      const faults = faultsOf({ ...base, [name]: value });
      expect(faults).toEqual({ [name]: expect.stringContaining('different bytes') });
      expect(JSON.stringify(faults)).not.toContain(value.slice(-10));
    }
    expect(faultsOf({ ...SECRETS, NODE_ENV: 'test', [name]: value })).toEqual({});
  });

  it.each([
    'smtp://mail.example.com',
    'smtp://u:p@mail.example.com:587',
    'smtp://mail.example.com?requireTLS=false',
    'smtp://mail.example.com?requiretls=true',
    'smtp://mail.example.com?requireTLS=true&ignoreTLS=true',
    'smtp://mail.example.com?requireTLS=true&tls.rejectUnauthorized=false',
    'smtps://mail.example.com?tls.rejectUnauthorized=false',
    'smtps://mail.example.com?secure=false',
    'smtp://127.0.0.1?host=mail.example.com',
    'smtp://127.0.0.1.example.com',
    'smtp://localhost.example.com',
    'smtp://127.evil.example',
    'smtp://192.168.0.1',
  ])('R-1 production refuses a mail server without verified TLS, unless a setting allows it by name: %s', (url) => {
    expect(faultsOf({ ...PRODUCTION, SMTP_URL: url })).toEqual({ SMTP_URL: expect.stringContaining('smtps:') });
    expect(faultsOf({ ...PRODUCTION, SMTP_URL: url, SMTP_ALLOW_PLAINTEXT: 'true' })).toEqual({});
    expect(faultsOf({ ...SECRETS, SMTP_URL: url })).toEqual({});
  });

  it.each([
    'smtps://u:p@mail.example.com',
    'smtp://u:p@mail.example.com:587?requireTLS=true',
    'smtp://localhost:25',
    'smtp://127.0.0.1:2525',
    'smtp://127.8.8.8',
    'smtp://[::1]:25',
  ])('R-1 production takes a mail server with TLS or on this machine: %s', (url) => {
    expect(faultsOf({ ...PRODUCTION, SMTP_URL: url })).toEqual({});
  });

  it.each([
    ['ACCESS_TOKEN_TTL', '1s', { accessTokenTtlMs: 1_000 }],
    ['API_KEY_CACHE_TTL', '0', { apiKeyCacheTtlMs: 0 }],
    ['API_KEY_CACHE_TTL', '5s', { apiKeyCacheTtlMs: 5_000 }],
    ['UPSTREAM_TIMEOUT', '250ms', { upstreamTimeoutMs: 250 }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8, fd00::/8', { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8'] }],
    ['HOST', '::1', { host: '::1' }],
    ['GOOGLE_ISSUER', 'http://[::1]:8080/', {}],
    ['GOOGLE_ISSUER', 'https://accounts.example.com', {}],
    ['PUBLIC_URL', 'https://x.example/base/', { publicUrl: 'https://x.example/base' }],
  ])('accepts %s=%s', (name, value, expected) => {
    expect(Settings.read({ ...SECRETS, [name]: value })).toMatchObject(expected);
  });

  it('reads a secret from NAME_FILE without its last line break, and refuses both at once', () => {
    const file = join(freshDir(), 'pepper');
    const pepper = 'another pepper of 34 bytes or more';
    writeFileSync(file, `${pepper}\n`);
    const { PASSWORD_PEPPER, ...others } = SECRETS;
    expect(Settings.read({ ...others, PASSWORD_PEPPER_FILE: file }).passwordPepper.reveal()).toBe(pepper);
    expect(faultsOf({ ...others, PASSWORD_PEPPER, PASSWORD_PEPPER_FILE: file })).toHaveProperty('PASSWORD_PEPPER');
    expect(faultsOf({ ...others, PASSWORD_PEPPER_FILE: join(freshDir(), 'none') })).toHaveProperty(
      'PASSWORD_PEPPER_FILE',
    );
  });

  it('R-2 generates missing secrets once, with mode 0600, and keeps them', () => {
    const dataDir = freshDir();
    const first = Settings.read({ DATA_DIR: dataDir });
    const second = Settings.read({ DATA_DIR: dataDir });
    expect(second.jwtSecrets[0]?.reveal()).toBe(first.jwtSecrets[0]?.reveal());
    expect(second.encryptionKeys[0]?.key.reveal()).toBe(first.encryptionKeys[0]?.key.reveal());
    expect(statSync(join(dataDir, 'secrets.env')).mode & 0o777).toBe(0o600);
  });

  it('R-2 refuses to start from a secrets file that others may read', () => {
    const dataDir = freshDir();
    Settings.read({ DATA_DIR: dataDir });
    chmodSync(join(dataDir, 'secrets.env'), 0o644);
    expect(() => Settings.read({ DATA_DIR: dataDir })).toThrow(/chmod 600/);
  });

  it('reports a DATA_DIR that this user may not write to, but not in production, which keeps nothing there', () => {
    const dataDir = freshDir();
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    expect(faultsOf({ ...SECRETS, DATA_DIR: file })).toHaveProperty('DATA_DIR');
    expect(faultsOf({ ...SECRETS, DATA_DIR: join(file, 'below') })).toHaveProperty('DATA_DIR');
    expect(faultsOf({ ...SECRETS, DATA_DIR: join(dataDir, 'new', 'one') })).toEqual({});
    expect(existsSync(join(dataDir, 'new'))).toBe(false);
    expect(faultsOf({ ...PRODUCTION, DATA_DIR: file })).toEqual({});
  });

  it('R-1 production starts with everything set', () => {
    expect(faultsOf(PRODUCTION)).toEqual({});
  });

  it.each(['PUBLIC_URL', 'DATABASE_URL', 'JWT_SECRET', 'ENCRYPTION_KEYS', 'PASSWORD_PEPPER', 'SMTP_URL'])(
    'R-1 production refuses to start without %s',
    (name) => {
      expect(faultsOf({ ...PRODUCTION, [name]: undefined })).toEqual({ [name]: 'set in production' });
    },
  );

  it.each([
    ['PUBLIC_URL', 'http://proxy.example.com'],
    ['SOME_API_URL', 'http://exchange.example.com'],
    ['SOME_WS_URL', 'ws://exchange.example.com/ws'],
    ['GOOGLE_ISSUER', 'http://127.0.0.1:8080'],
    ['GOOGLE_ISSUER', 'http://accounts.example.com'],
    ['BCRYPT_COST', '9'],
    ['PASSWORD_PEPPER', SECRETS.JWT_SECRET],
  ])('R-1, S-50 production refuses %s=%s', (name, value) => {
    expect(Object.keys(faultsOf({ ...PRODUCTION, [name]: value }))).toEqual([name]);
  });

  it('R-1 shows no secret when printed', () => {
    const settings = Settings.read({ ...SECRETS, DATABASE_URL: 'postgresql://u:canary@db/x' });
    const shown = `${JSON.stringify(settings)} ${String(settings.databaseUrl)}`;
    expect(shown).not.toContain('canary');
    expect(shown).not.toContain(SECRETS.JWT_SECRET);
  });
});

describe('.env.example', () => {
  it('holds every setting with its default', async () => {
    const { envExample } = await import('./env-example.js');
    const { CORE_SETTINGS } = await import('./core.settings.js');
    const text = readFileSync('.env.example', 'utf8');
    expect(text.startsWith(envExample(CORE_SETTINGS))).toBe(true);
  });
});
