import { relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { assertStrongPassword } from '../src/auth/password-policy/password-policy.js';
import { AppError } from '../src/platform/errors/app-error.js';
import { validateAs } from '../src/platform/http/validation.js';
import { hostileTexts, LONGEST_MS, shortestMs, shortestMsOf } from './support/hostile.js';
import { sourceFiles } from './support/sources.js';

type RequestClass = new () => object;

/** What the policy judges, with 422 `weak_password`: no validator calls it too long (contract.md 3). */
const NEW_PASSWORDS = ['SignUpDto.password', 'ResetPasswordDto.new_password', 'ChangePasswordDto.new_password'];

function validatedFieldsOf(Class: RequestClass): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Class, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

/** Every class of a `*.dto.ts` that is checked when it comes in. */
async function requestClasses(): Promise<RequestClass[]> {
  const found = new Set<RequestClass>();
  for (const file of sourceFiles('src').filter((name) => name.endsWith('.dto.ts'))) {
    const path = relative(import.meta.dirname, resolve(file)).replace(/\.ts$/, '.js');
    const module = (await import(path)) as Record<string, unknown>;
    for (const exported of Object.values(module)) {
      const isChecked = typeof exported === 'function' && validatedFieldsOf(exported as RequestClass).length > 0;
      if (isChecked) found.add(exported as RequestClass);
    }
  }
  return [...found];
}

const FIELDS = (await requestClasses()).flatMap((Class) =>
  validatedFieldsOf(Class).map((field) => ({ name: `${Class.name}.${field}`, Class, field })),
);

const TEXTS = hostileTexts();
const many = <T>(value: T): T[] => Array.from({ length: 256 }, () => value);
const wide = Object.fromEntries(many(0).map((_, index) => [`member${index}`, { [`m${index}`]: [index] }]));
const VALUES: readonly unknown[] = [
  ...TEXTS,
  many('x'.repeat(250)),
  many({}),
  many({ maker: {}, salt: '1' }),
  many([]),
  wide,
  Number.MAX_VALUE,
  '9'.repeat(100_000),
  `1e${'9'.repeat(100_000)}`,
  `0.${'0'.repeat(100_000)}1`,
];

/** The names of fields that are refused. */
async function refused(Class: RequestClass, value: object): Promise<string[]> {
  try {
    await validateAs(Class, value);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details?.fields ?? []).map(({ field }) => field);
  }
}

describe('S-53 every field of every request', () => {
  it('is known to this test', () => {
    const names = FIELDS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(NEW_PASSWORDS));
    expect(names).toEqual(
      expect.arrayContaining([
        'LogInDto.password',
        'OAuthCallbackDto.code',
        'CreateApiKeyDto.scopes',
        'KalshiCredentialsDto.private_key',
        'PolymarketCredentialsDto.secret',
        'PolymarketOrderDto.signed_order',
        'SignedOrderDto.signature',
        'KalshiOrderRequestDto.expires_at',
        'MarketsQueryDto.ids',
      ]),
    );
  });

  it.each(FIELDS)('$name is judged within 50 ms, whatever is in it', async ({ Class, field }) => {
    const slow: unknown[] = [];
    for (const value of VALUES) {
      const ms = await shortestMsOf(() => refused(Class, { [field]: value }));
      if (ms > LONGEST_MS) slow.push([String(value).slice(0, 20), Math.round(ms)]);
    }
    expect(slow).toEqual([]);
  });

  it.each(FIELDS.filter(({ name }) => !NEW_PASSWORDS.includes(name)))('$name has a bound', async ({ Class, field }) => {
    for (const text of ['a'.repeat(60_000), 'ab '.repeat(20_000), `0x${'ab'.repeat(30_000)}`, '1'.repeat(60_000)]) {
      expect(await refused(Class, { [field]: text })).toContain(field);
    }
  });
});

describe('S-53 a new password', () => {
  it.each([60_000, 257, 129])('of %i characters is too long for the policy, and for that reason alone', (length) => {
    const judge = (): void => {
      assertStrongPassword('!'.repeat(length), 'ada@example.com');
    };
    expect(judge).toThrow(expect.objectContaining({ code: 'weak_password', details: { reasons: ['too_long'] } }));
  });

  it('is judged within 50 ms, whatever it is', () => {
    const judge = (text: string) => (): void => {
      expect(() => {
        assertStrongPassword(text, 'ada@example.com');
      }).toThrow(AppError);
    };
    const slow = TEXTS.find((text) => shortestMs(judge(text)) > LONGEST_MS);
    expect(slow?.slice(0, 20)).toBeUndefined();
  });
});
