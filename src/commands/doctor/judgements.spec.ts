import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { judgeMigrations, judgeServer } from './database.checks.js';
import { judgeClock, judgeHosts } from './exchange.checks.js';
import { plain, reasonOf } from './failure.js';
import { ok, runChecks, worstOf } from './finding.js';
import { OLDEST_NODE, checkNode, checkSettings, judgeFreeBytes } from './machine.checks.js';
import { judgeCredentials, judgeKeys } from './stored.checks.js';

const MIB = 1_024 * 1_024;

const SERVER = {
  version: '18.1',
  major: 18,
  isEncrypted: false,
  isStandby: false,
  isReadOnly: false,
  synchronousCommit: 'on',
  isDurable: true,
  standbys: 0,
  isCopied: false,
  isMighty: false,
  connections: 97,
  catalogue: [],
  migrations: [],
};

describe('what npm run doctor makes of what it finds', () => {
  it.each([
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
    ['20.19.0', 'ok'],
    ['24.0.1', 'ok'],
  ])('Node.js %s is %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

  it('knows the oldest Node.js of package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  it('names every faulty setting at once', () => {
    const faults = [
      { name: 'PORT', expected: 'a whole number' },
      { name: 'SMTP_URL', expected: 'set in production' },
    ];
    const { status, message } = checkSettings({ faults, isProduction: true });
    expect(status).toBe('fail');
    expect(message).toBe('PORT must be a whole number; SMTP_URL must be set in production.');
  });

  it.each([
    [99 * MIB, 'fail'],
    [101 * MIB, 'warn'],
    [1_025 * MIB, 'ok'],
  ])('%d free bytes are %s', (bytes, status) => {
    expect(judgeFreeBytes(bytes).status).toBe(status);
  });

  it.each([
    ['that takes writes', {}, 'ok', 'ok'],
    ['that is a standby', { isStandby: true }, 'fail', 'fail'],
    ['that only reads', { isReadOnly: true }, 'fail', 'fail'],
    ['without synchronous_commit', { synchronousCommit: 'off' }, 'warn', 'fail'],
    ['without fsync', { isDurable: false }, 'warn', 'fail'],
    ['that writes to others later', { synchronousCommit: 'local' }, 'ok', 'ok'],
    ['whose standbys have all that it says is done', { standbys: 2, isCopied: true }, 'ok', 'ok'],
    ['R-6 whose standbys may lack what it said is done', { standbys: 1 }, 'warn', 'fail'],
    ['that is old', { major: 14, version: '14.2' }, 'warn', 'warn'],
  ] as const)('a server %s', (_title, change, usual, inProduction) => {
    expect(judgeServer({ ...SERVER, ...change }, false).status).toBe(usual);
    expect(judgeServer({ ...SERVER, ...change }, true).status).toBe(inProduction);
  });

  it.each([
    [['A1', 'B2'], 'ok', 'All 2'],
    [['A1'], 'warn', '1 schema changes are pending'],
    [[], 'warn', 'not made yet'],
    [['A1', 'B2', 'C3'], 'warn', 'newer version'],
  ])('schema changes %j are %s', (applied, status, words) => {
    const finding = judgeMigrations(applied, ['A1', 'B2']);
    expect(finding).toMatchObject({ status, message: expect.stringContaining(words) });
  });

  it('believes the exchange whose clock is nearest', () => {
    expect(
      judgeClock([
        ['a', 3_600_000],
        ['b', -300],
      ]).status,
    ).toBe('ok');
    expect(
      judgeClock([
        ['a', 3_600_000],
        ['b', -5_000],
      ]),
    ).toMatchObject({
      status: 'warn',
      message: 'The clock of this machine is 5.0 s ahead of that of b.',
    });
    expect(judgeClock([['a', 3_600_000]])).toMatchObject({
      status: 'fail',
      message: 'The clock of this machine is 3600.0 s behind that of a.',
    });
    expect(judgeClock([]).status).toBe('warn');
  });

  it('tells an exchange that is away, one that refuses this machine and one that is not well apart', () => {
    const well = { host: 'a.example', status: 200, skewMs: 0 };
    expect(judgeHosts([well]).status).toBe('ok');
    expect(judgeHosts([well, { host: 'b.example', reason: 'timeout' }])).toMatchObject({
      status: 'fail',
      message: 'It cannot be reached (b.example: timeout).',
    });
    expect(judgeHosts([well, { ...well, status: 451 }]).status).toBe('fail');
    expect(judgeHosts([well, { ...well, status: 503 }]).status).toBe('warn');
    expect(
      judgeHosts([
        { ...well, status: 400 },
        { ...well, status: null },
      ]).status,
    ).toBe('ok');
  });

  it('S-38 names keys by their ids', () => {
    const none = { missing: [], wrong: [], tried: 3, broken: 0 };
    expect(judgeKeys(none).status).toBe('ok');
    expect(judgeKeys({ ...none, missing: ['k1', 'k2'] })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('k1, k2'),
    });
    expect(judgeKeys({ ...none, wrong: ['k3'] })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('k3'),
    });
    expect(judgeKeys({ ...none, broken: 1 }).message).toBe('1 of 3 stored rows that were tried do not open.');
  });

  it('tells what keeps a user from trading', () => {
    const works = { state: 'accepted', warnings: [], missingAllowances: [], isClosedOnly: false } as const;
    const statusOf = (change: object): string => judgeCredentials({ ...works, ...change }, 'polymarket').status;
    expect(statusOf({})).toBe('ok');
    expect(statusOf({ missingAllowances: null, isClosedOnly: null })).toBe('ok');
    expect(statusOf({ missingAllowances: ['0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'] })).toBe('warn');
    expect(statusOf({ warnings: ['cannot_trade'] })).toBe('warn');
    expect(statusOf({ isClosedOnly: true })).toBe('fail');
    expect(judgeCredentials({ state: 'broken' }, 'kalshi').status).toBe('fail');
    expect(judgeCredentials({ state: 'pending' }, 'kalshi').status).toBe('warn');
    expect(judgeCredentials({ state: 'none' }, 'kalshi').status).toBe('ok');
  });
});

describe('the checks of npm run doctor', () => {
  it('makes a check that throws, or does not end, its own fail, and goes on with the others', async () => {
    const results = await runChecks(
      [
        {
          id: 'throws',
          run: () => {
            throw new Error('no luck.');
          },
        },
        { id: 'hangs', run: () => new Promise(() => undefined) },
        { id: 'works', run: () => ok('fine') },
      ],
      20,
    );
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['throws', 'fail'],
      ['hangs', 'fail'],
      ['works', 'ok'],
    ]);
    expect(results[0]?.message).toBe('This could not be checked: no luck.');
    expect(worstOf(results)).toBe('fail');
    expect(worstOf(results.slice(2))).toBe('ok');
  });

  it('says in plain words what a code means, wherever it stands', () => {
    expect(reasonOf(Object.assign(new Error('x'), { code: '28P01' }))).toBe(
      'the server refuses the user or the password (28P01)',
    );
    expect(reasonOf(new Error('away', { cause: new Error('Error ENOTFOUND') }))).toBe(
      'the host name is not known (ENOTFOUND)',
    );
    expect(reasonOf(new Error('WRONGPASS invalid username-password pair'))).toContain('(WRONGPASS)');
    expect(reasonOf('?')).toBe('unknown fault');
  });

  it('S-40 shows no password of an address, and nothing that could move a cursor', () => {
    expect(plain('see postgres://u:canary@db/x\u001b[2J')).toBe('see postgres://u:[redacted]@db/x [2J');
    expect(plain('x'.repeat(10_000))).toHaveLength(203);
  });
});
