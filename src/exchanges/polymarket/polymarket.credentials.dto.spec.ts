import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PolymarketCredentialsDto } from './polymarket.credentials.dto.js';

const VALID = {
  api_key: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  secret: 'Zml4ZWQtdGVzdC1zZWNyZXQtZm9yLWwyLXZlY3RvcnMtMDE=',
  passphrase: '0f2d6a4c1b3e5879',
  wallet_address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
};
const OTHER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** The fields that are refused. */
function refused(change: Readonly<Record<string, unknown>>): string[] {
  const body = plainToInstance(PolymarketCredentialsDto, { ...VALID, ...change });
  return validateSync(body, { whitelist: true, forbidNonWhitelisted: true }).map(({ property }) => property);
}

describe('PolymarketCredentialsDto', () => {
  it('contract.md 4 takes key, secret, passphrase and wallet', () => {
    expect(refused({})).toEqual([]);
  });

  it.each(['-_-__j4_AQID', '+/+//j4/AQID', 'QQ==', 'QQ', 'QUI=', 'QUI', 'QUJD'])(
    'contract.md 4 takes base64 of either alphabet, padded or not: %s',
    (secret) => {
      expect(refused({ secret })).toEqual([]);
    },
  );

  it.each(['', '=', 'A', 'QUJDR', 'Q===', 'QUI==', 'QQ=', 'Q Q=', 'QQ==\n', 'QQ==QQ==', 'Qü==', 5, null, ['QQ==']])(
    'contract.md 4 refuses %j as a secret',
    (secret) => {
      expect(refused({ secret })).toEqual(['secret']);
    },
  );

  it.each(['', ' key', 'key ', 'a\u0000b', 'a\nb', 'a\u007fb', 'schlüssel', 'x'.repeat(300), 7, null, undefined, {}])(
    'contract.md 4 refuses %j as key and as passphrase',
    (value) => {
      expect(refused({ api_key: value, passphrase: value })).toEqual(['api_key', 'passphrase']);
    },
  );

  it.each(['0x8ba1', `${VALID.wallet_address}0`, VALID.wallet_address.slice(2), `0X${'a'.repeat(40)}`, '', null, 1])(
    'contract.md 4 refuses %j as an address',
    (address) => {
      expect(refused({ wallet_address: address })).toEqual(['wallet_address']);
      expect(refused({ signer_address: address, signature_type: 0 })).toEqual(['signer_address']);
    },
  );

  it('contract.md 4 wants the signature type where the addresses differ, and only there', () => {
    expect(refused({ signer_address: OTHER })).toEqual(['signature_type']);
    expect(refused({ signer_address: OTHER, signature_type: 2 })).toEqual([]);
    expect(refused({ signer_address: VALID.wallet_address.toLowerCase() })).toEqual([]);
  });

  it.each([4, -1, 1.5, '1', null, true, [1]])('contract.md 4 refuses %j as a signature type', (type) => {
    expect(refused({ signature_type: type })).toEqual(['signature_type']);
  });

  it('S-33 refuses fields that it does not know', () => {
    expect(refused({ private_key: '0x1' })).toEqual(['private_key']);
  });

  describe('contract.md 5.9 beside a session key', () => {
    const session_key = `0x${'1'.padStart(64, '0')}`;
    const address = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
    const missing = { api_key: undefined, secret: undefined, passphrase: undefined };
    const key = { session_key, ...missing };

    it('takes it alone, and with all that may stand beside it', () => {
      expect(refused(key)).toEqual([]);
      expect(refused({ session_key })).toEqual([]);
      expect(refused({ ...key, signer_address: address, signature_type: 3 })).toEqual([]);
      expect(refused({ ...key, signer_address: address.toLowerCase() })).toEqual([]);
    });

    it('refuses a signer or a kind of wallet that is another one', () => {
      expect(refused({ ...key, signer_address: OTHER })).toEqual(['signer_address']);
      expect(refused({ ...key, signer_address: 'x' })).toEqual(['signer_address']);
      for (const signature_type of [0, 1, 2, '3', null])
        expect(refused({ ...key, signature_type })).toEqual(['signature_type']);
    });

    it.each([
      session_key.slice(2),
      `${session_key}0`,
      `0x${'0'.repeat(64)}`,
      `0x${'f'.repeat(64)}`,
      '',
      null,
      1,
      [session_key],
    ])('refuses %j as a session key', (value) => {
      expect(refused({ session_key: value })).toEqual(['session_key']);
    });

    it('refuses the key of the wallet itself, in any spelling', () => {
      expect(refused({ ...key, wallet_address: address })).toEqual(['session_key']);
      expect(refused({ ...key, wallet_address: address.toLowerCase() })).toEqual(['session_key']);
    });

    it('wants all or none of the three API credentials', () => {
      expect(refused({ ...key, api_key: VALID.api_key })).toEqual(['secret', 'passphrase']);
      expect(refused({ ...key, secret: VALID.secret })).toEqual(['api_key', 'passphrase']);
      expect(refused({ ...key, secret: VALID.secret, passphrase: '' })).toEqual(['api_key', 'passphrase']);
      expect(refused(missing)).toEqual(['api_key', 'secret', 'passphrase']);
    });
  });
});
