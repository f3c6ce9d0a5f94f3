import { describe, expect, it } from '@jest/globals';
import type { KeyFacts } from '../credentials.contract.js';
import { warningsOf } from './kalshi.warnings.js';

const NOW = new Date('2026-11-20T15:00:00.000Z');
const GOOD: KeyFacts = {
  scopes: ['read', 'write::trade'],
  subaccount: null,
  isBound: false,
  attestationExpiresAt: '2027-01-20T15:00:00.000Z',
};
const warned = (change: Partial<KeyFacts>) => warningsOf({ key: { ...GOOD, ...change }, missingAllowances: null }, NOW);

describe('warningsOf', () => {
  it.each<[string, Partial<KeyFacts>, string[]]>([
    ['that reads and trades', {}, []],
    ['that may do all', { scopes: ['read', 'write'] }, ['can_transfer']],
    ['that may move money', { scopes: ['read', 'write::trade', 'write::transfer'] }, ['can_transfer']],
    ['that may do all on one subaccount', { scopes: ['read', 'write'], isBound: true, subaccount: '2' }, []],
    ['that only reads', { scopes: ['read'] }, ['cannot_trade']],
    ['that only moves money', { scopes: ['read', 'write::transfer'] }, ['can_transfer', 'cannot_trade']],
    ['that only trades', { scopes: ['write::trade'] }, ['cannot_read']],
    ['that reads the balance alone', { scopes: ['read::portfolio_balance', 'write::trade'] }, ['cannot_read']],
    ['without scopes', { scopes: [] }, ['cannot_trade', 'cannot_read']],
    ['with scopes that nobody knows', { scopes: ['read', 'write::trade', 'write::new'] }, []],
    ['of which nothing is shown', { scopes: null, isBound: true, attestationExpiresAt: null }, []],
    ['of unknown scopes', { scopes: null, isBound: null }, []],
    [
      'of unknown scopes and no attestation',
      { scopes: null, isBound: null, attestationExpiresAt: null },
      ['attestation_missing'],
    ],
    ['of no attestation', { attestationExpiresAt: null }, ['attestation_missing']],
    ['of a past attestation', { attestationExpiresAt: '2026-11-20T15:00:00.000Z' }, ['attestation_missing']],
    ['whose attestation ends now', { attestationExpiresAt: '2026-11-20T15:00:00.001Z' }, ['attestation_expiring']],
    [
      'whose attestation ends in 14 days',
      { attestationExpiresAt: '2026-12-04T15:00:00.000Z' },
      ['attestation_expiring'],
    ],
    ['whose attestation ends later', { attestationExpiresAt: '2026-12-04T15:00:00.001Z' }, []],
  ])('contract.md 4 warns of a key %s', (_, change, warnings) => {
    expect(warned(change)).toEqual(warnings);
  });

  it('contract.md 4 does not warn where nothing is known', () => {
    expect(warningsOf({ key: null, missingAllowances: null }, NOW)).toEqual([]);
  });
});
