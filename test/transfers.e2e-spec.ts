import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import type { ApiKeyPrincipal } from '../src/access/principal.js';
import { AppError } from '../src/platform/errors/app-error.js';
import type { TransferDto } from '../src/exchanges/unified.trading.dto.js';
import { LedgerUpkeep } from '../src/proxy/placing/ledger-upkeep.repository.js';
import type { Placement } from '../src/proxy/placing/outcomes.js';
import { TransfersService } from '../src/proxy/transfers/transfers.service.js';
import { startTestApp, type TestApp } from './support/app.js';
import { FakeShards } from './support/fake-shards.js';
import { anApiKey, aUser } from './support/users.js';

const TERMS = { from_shard: '0', to_shard: '2', amount: '25' };
const UPSTREAM_TIMEOUT_MS = 1_000;

describe('transfers that are safe to retry (contract.md 5.8, R-13, R-14, R-26)', () => {
  let app: TestApp;
  let caller: ApiKeyPrincipal;
  let shards: FakeShards;
  let keys = 0;

  beforeAll(async () => {
    app = await startTestApp({ UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms` });
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    shards = new FakeShards();
    caller = await shards.aCaller(app);
  });

  const freshKey = (): string => `transfer-${(keys += 1)}`;

  const move = (key?: string, terms = TERMS): Promise<Placement<TransferDto>> =>
    app.get(TransfersService).create(caller, shards.exchange, terms, key);

  const errorOf = async (call: Promise<unknown>): Promise<AppError> => {
    const error = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AppError)) throw new Error('it was not refused', { cause: error });
    return error;
  };

  /** A transfer under a fresh key whose fate is not known. */
  const lose = async (fate: 'answer_lost' | 'never_arrives'): Promise<string> => {
    const key = freshKey();
    shards.fates = [fate];
    expect(await errorOf(move(key))).toMatchObject({ code: 'transfer_outcome_unknown', retryable: true });
    return key;
  };

  const setBack = (key: string, change: string): Promise<unknown> =>
    app.query(`UPDATE placements SET ${change} WHERE key = $1`, [key]);

  const notes = async (): Promise<unknown[]> => {
    const sql = `SELECT details FROM security_events WHERE type = 'transfer_created' AND user_id = $1 ORDER BY created_at, id`;
    return (await app.query(sql, [caller.userId])).map(({ details }) => details);
  };

  describe('under an Idempotency-Key', () => {
    it('replays the first answer, and sends nothing', async () => {
      const key = freshKey();
      const first = await move(key);
      expect(first).toMatchObject({ origin: 'made', placed: { id: 't-1', ...TERMS } });
      expect(await move(key)).toEqual({ ...first, origin: 'replayed' });
      expect(shards.sent).toHaveLength(1);
    });

    it('R-6 is answered for good only with its note: where it cannot be noted, a repeat makes up for both', async () => {
      const key = freshKey();
      await app.query(
        `ALTER TABLE security_events ADD CONSTRAINT no_note CHECK (type <> 'transfer_created') NOT VALID`,
      );
      const first = await move(key).finally(() => app.query('ALTER TABLE security_events DROP CONSTRAINT no_note'));
      expect(await notes()).toEqual([]);
      await setBack(key, "busy_until = now() - interval '1 second'");
      const repeat = await move(key);
      expect(repeat).toMatchObject({ origin: 'found', placed: { id: first.placed.id } });
      expect(await notes()).toMatchObject([{ transfer_id: first.placed.id }]);
      expect(await move(key)).toEqual({ ...repeat, origin: 'replayed' });
    });

    it.each(Object.keys(TERMS))('refuses another %s with 422 idempotency_key_reused', async (field) => {
      const key = freshKey();
      await move(key);
      const other = await errorOf(move(key, { ...TERMS, [field]: '7' }));
      expect([other.status, other.code]).toEqual([422, 'idempotency_key_reused']);
    });

    it('R-14 is recorded before it is sent, and only one call sends it', async () => {
      const key = freshKey();
      let rows: unknown[] = [];
      shards.beforeSending = async () => {
        rows = await app.query(`SELECT state, reference FROM placements WHERE key = $1`, [key]);
        expect(await errorOf(move(key))).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 });
      };
      await move(key);
      expect(rows).toEqual([{ state: 'sending', reference: { client_transfer_id: shards.sent[0] } }]);
      expect(shards.sent).toHaveLength(1);
    });

    it('R-14 of twenty calls at once one makes it, and all that answer name it', async () => {
      const key = freshKey();
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => move(key)));
      const named = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.placed.id] : []));
      expect([new Set(named), shards.made.length]).toEqual([new Set(['t-1']), 1]);
    });

    it('R-14 a call that was cut off counts as unknown after UPSTREAM_TIMEOUT + 5 s; the repeat sends under its id', async () => {
      const key = await lose('answer_lost');
      await setBack(key, `state = 'sending', busy_until = clock_timestamp() + interval '1 minute'`);
      expect((await errorOf(move(key))).code).toBe('idempotency_in_progress');
      await setBack(key, `busy_until = clock_timestamp() - interval '1 second'`);
      expect(await move(key)).toMatchObject({ origin: 'found', placed: { id: 't-1' } });
    });

    it('R-13 a lost answer: the repeat is sent under the same id, and answers the one that was made', async () => {
      const key = await lose('answer_lost');
      expect(await move(key)).toMatchObject({ origin: 'found', placed: { id: 't-1', ...TERMS } });
      expect((await move(key)).origin).toBe('replayed');
      expect([shards.made.length, shards.sent.length, new Set(shards.sent).size]).toEqual([1, 2, 1]);
    });

    it('R-13 one that never arrived is made by the repeat, under the same id', async () => {
      const key = await lose('never_arrives');
      expect(await move(key)).toMatchObject({ origin: 'made', placed: { id: 't-1' } });
      expect([shards.sent.length, new Set(shards.sent).size]).toEqual([2, 1]);
    });

    it('R-22, R-26 other credentials send nothing; the first ones find it', async () => {
      const key = await lose('answer_lost');
      shards.account = 'other';
      const error = await errorOf(move(key));
      expect(error).toMatchObject({ code: 'transfer_outcome_unknown', retryable: true });
      expect(error.details).toEqual({ reason: 'credentials_changed', client_transfer_id: shards.sent[0] });
      expect(shards.sent).toHaveLength(1);
      shards.account = 'mine';
      expect((await move(key)).placed.id).toBe('t-1');
    });

    it('R-22, R-26 the same key 24 h later is another transfer under another id, and before that it is not', async () => {
      const key = await lose('never_arrives');
      await setBack(key, `attempt_at = now() - interval '25 hours'`);
      await move(key);
      expect(new Set(shards.sent).size).toBe(2);
    });

    it('R-22, R-26 frees a key 24 h after its last attempt, not before, and none that is being sent', async () => {
      const [old, young, busy] = [
        await lose('never_arrives'),
        await lose('never_arrives'),
        await lose('never_arrives'),
      ];
      await setBack(old, `attempt_at = now() - interval '25 hours'`);
      await setBack(young, `attempt_at = now() - interval '23 hours'`);
      const sending = `state = 'sending', busy_until = now() + interval '1 minute'`;
      await setBack(busy, `attempt_at = now() - interval '25 hours', ${sending}`);
      await app.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE user_id = $1`, [
        caller.userId,
      ]);
      while ((await app.get(LedgerUpkeep).unbindOld(100)) > 0);
      const rows = await app.query('SELECT key FROM idempotency_keys WHERE user_id = $1 ORDER BY key', [caller.userId]);
      expect(rows.map(({ key }) => key)).toEqual([young, busy].sort());
    });

    it.each(['placements', 'idempotency_keys'])(
      'R-22 leaves a key for later whose row of %s is locked',
      async (table) => {
        const key = await lose('never_arrives');
        await setBack(key, `attempt_at = now() - interval '25 hours'`);
        const old = `created_at = now() - interval '25 hours'`;
        await app.query(`UPDATE idempotency_keys SET ${old} WHERE user_id = $1 AND key = $2`, [caller.userId, key]);
        const free = async (): Promise<number> => {
          let count = 0;
          for (let freed = 1; freed > 0; count += freed) freed = await app.get(LedgerUpkeep).unbindOld(100);
          return count;
        };
        const other = new pg.Client({ connectionString: app.database.url });
        await other.connect();
        try {
          await other.query('BEGIN');
          await other.query(`SELECT FROM ${table} WHERE user_id = $1 AND key = $2 FOR UPDATE`, [caller.userId, key]);
          expect(await free()).toBe(0);
        } finally {
          await other.end();
        }
        expect(await free()).toBe(1);
      },
    );
  });

  describe('which one of the history it is', () => {
    it('names none while the history does not show it, and is not kept: a later repeat learns more', async () => {
      const key = freshKey();
      const asked = { ...TERMS, amount: '25.00' };
      shards.fates = ['answer_lost'];
      await errorOf(move(key, asked));
      for (const history of ['hidden', 'broken'] as const) {
        shards.history = history;
        const placed = {
          exchange: 'shards',
          id: null,
          ...TERMS,
          currency: 'USD',
          status: 'pending',
          created_at: null,
        };
        expect(await move(key, asked)).toMatchObject({ origin: 'found', placed });
      }
      shards.history = 'shown';
      expect((await move(key, asked)).placed.id).toBe('t-1');
    });

    it('is never one of another record: two lost ones of the same terms get one each, also at the same time', async () => {
      const lost = [await lose('answer_lost'), await lose('answer_lost'), await lose('answer_lost')];
      const found = await Promise.all(lost.map((key) => move(key)));
      expect(found.map(({ placed }) => placed.id).sort()).toEqual(['t-1', 't-2', 't-3']);
    });

    it('is never one that was answered to a call without a key', async () => {
      await move();
      const key = await lose('answer_lost');
      await move();
      expect((await move(key)).placed.id).toBe('t-2');
    });

    it('is never one that its owner made by other means before the first sending, also while it does not show itself', async () => {
      shards.add(TERMS, '', 60_000);
      shards.add(TERMS, '', 30);
      const key = await lose('answer_lost');
      expect((await move(key)).placed.id).toBe('t-3');
      const unseen = await lose('answer_lost');
      shards.made.pop();
      shards.fates = [{ refused: 'duplicate_transfer' }];
      shards.made.splice(1, 1);
      expect((await move(unseen)).placed.id).toBeNull();
    });

    it('is of the same shards and amount, and no older than the first sending but for the slack of clocks', async () => {
      shards.add(TERMS, '', 6 * 60_000);
      shards.add({ ...TERMS, amount: '26' });
      shards.add({ ...TERMS, to_shard: '3' });
      const key = await lose('answer_lost');
      for (let i = 0; i < 150; i++) shards.add({ ...TERMS, amount: '1' });
      expect((await move(key, TERMS)).placed.id).toBe('t-4');
    });

    it('R-25 is looked for on ten pages at most', async () => {
      const key = await lose('answer_lost');
      for (let i = 0; i < 1_000; i++) shards.add({ ...TERMS, amount: '1' });
      expect((await move(key)).placed.id).toBeNull();
    });
  });

  describe('refusals', () => {
    it('keeps one that the exchange proved at the first sending, and replays it', async () => {
      const key = freshKey();
      shards.fates = [{ refused: 'invalid_request' }];
      const first = await errorOf(move(key));
      expect(first).toMatchObject({ code: 'exchange_rejected', headers: {} });
      const again = await errorOf(move(key));
      expect(again).toMatchObject({ code: 'exchange_rejected', headers: { 'Idempotency-Replayed': 'true' } });
      expect(again.details).toEqual(first.details);
      expect(shards.sent).toHaveLength(1);
    });

    it.each<[string, 'rate_limited' | { refused: string }]>([
      ['a lack of funds', { refused: 'insufficient_funds' }],
      ['a missing approval', { refused: 'allowance_missing' }],
      ['a lapsed attestation', { refused: 'attestation_expired' }],
      ['a rate limit', 'rate_limited'],
    ])(
      'R-14 tells %s and keeps the id: the same body makes the same transfer, another one is refused',
      async (_, fate) => {
        const key = freshKey();
        shards.fates = [fate];
        await errorOf(move(key));
        expect(await errorOf(move(key, { ...TERMS, amount: '3' }))).toMatchObject({ code: 'idempotency_key_reused' });
        expect(await move(key)).toMatchObject({ origin: 'made' });
        expect([shards.sent.length, new Set(shards.sent).size, shards.made.length]).toEqual([2, 1, 1]);
      },
    );

    it('R-14 frees the key where no byte left, for a transfer under another id', async () => {
      const key = freshKey();
      shards.fates = ['not_sent'];
      await errorOf(move(key));
      expect(await move(key, { ...TERMS, amount: '3' })).toMatchObject({ origin: 'made' });
    });

    it('R-13 one that was made although it was refused is found by the first repeat, and kept', async () => {
      const key = freshKey();
      shards.fates = [{ refused: 'invalid_request' }];
      await errorOf(move(key));
      shards.add(TERMS, shards.sent[0]);
      for (const origin of ['found', 'replayed'])
        expect(await move(key)).toMatchObject({ origin, placed: { id: 't-1' } });
      expect(shards.sent).toHaveLength(1);
    });

    it('R-13 one that a later sending made although it was refused is found too, however long the first was ago', async () => {
      const key = freshKey();
      shards.fates = ['rate_limited', { refused: 'invalid_request' }];
      expect((await errorOf(move(key))).code).toBe('exchange_rate_limited');
      await setBack(key, `first_sent_at = first_sent_at - interval '10 minutes'`);
      expect((await errorOf(move(key))).code).toBe('exchange_rejected');
      shards.add(TERMS, shards.sent[0]);
      expect(await move(key)).toMatchObject({ origin: 'found', placed: { id: 't-1' } });
      expect(shards.sent).toHaveLength(2);
    });

    it('R-13 a first sending that is called a duplicate is of unknown fate, with a key and without', async () => {
      const key = freshKey();
      shards.fates = [{ refused: 'duplicate_transfer' }, { refused: 'duplicate_transfer' }];
      expect(await errorOf(move())).toMatchObject({ code: 'transfer_outcome_unknown', retryable: false });
      expect(await errorOf(move(key))).toMatchObject({ code: 'transfer_outcome_unknown', retryable: true });
      expect(await move(key)).toMatchObject({ origin: 'made' });
      expect(shards.made).toHaveLength(1);
    });

    it('R-13 a duplicate after nothing but refusals is a refusal once the history has shown none for long enough', async () => {
      const key = freshKey();
      const duplicate = { refused: 'duplicate_transfer' };
      shards.fates = [{ refused: 'insufficient_funds' }, duplicate, duplicate, duplicate];
      expect(await errorOf(move(key))).toMatchObject({ code: 'exchange_rejected' });
      for (let i = 0; i < 2; i++) expect(await errorOf(move(key))).toMatchObject({ code: 'transfer_outcome_unknown' });
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      const details = { reason: 'duplicate_transfer' };
      expect(await errorOf(move(key))).toMatchObject({ code: 'exchange_rejected', headers: {}, details });
      expect(await errorOf(move(key))).toMatchObject({ headers: { 'Idempotency-Replayed': 'true' }, details });
      expect(new Set(shards.sent).size).toBe(1);
      expect(await app.get(TransfersService).list(caller, shards.exchange, {})).toMatchObject({ data: [] });
      expect(await move(freshKey())).toMatchObject({ origin: 'made', placed: TERMS });
    });

    it.each(['insufficient_funds', 'invalid_request'])(
      'R-13 %s, told for a resend, is no fate while the transfer may arrive, and the one in the history is the answer',
      async (refused) => {
        const key = await lose('answer_lost');
        for (const history of ['hidden', 'broken'] as const) {
          shards.history = history;
          shards.fates = [{ refused }];
          const error = await errorOf(move(key));
          expect(error).toMatchObject({ code: 'transfer_outcome_unknown', retryable: true });
          expect(error.details?.client_transfer_id).toBe(shards.sent[0]);
        }
        shards.history = 'shown';
        shards.fates = [{ refused }];
        expect(await move(key)).toMatchObject({ origin: 'found', placed: { id: 't-1' } });
      },
    );

    it('R-13 a rate limit for a resend leaves the fate open, and says how long to wait', async () => {
      const key = await lose('answer_lost');
      shards.fates = ['rate_limited'];
      expect(await errorOf(move(key))).toMatchObject({ code: 'transfer_outcome_unknown', retryAfterSeconds: 7 });
      expect((await move(key)).placed.id).toBe('t-1');
    });

    it('R-13 is not final while another like it, made a little before the first sending, may be it', async () => {
      shards.add(TERMS, '', 60_000);
      const key = await lose('never_arrives');
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      shards.fates = [{ refused: 'invalid_request' }];
      expect((await errorOf(move(key))).code).toBe('transfer_outcome_unknown');
    });

    it('R-13 is no transfer that another record of unknown fate may have made', async () => {
      const [made, never] = [await lose('answer_lost'), await lose('never_arrives')];
      await setBack(never, `refusal_holds_at = now() - interval '1 second'`);
      shards.add({ ...TERMS, amount: '1' });
      shards.fates = [{ refused: 'insufficient_funds' }];
      expect((await errorOf(move(never))).code).toBe('transfer_outcome_unknown');
      expect((await move(made)).placed.id).toBe('t-1');
      shards.fates = [{ refused: 'insufficient_funds' }];
      expect((await errorOf(move(never))).code).toBe('exchange_rejected');
    });

    it('R-13 is final long enough after the sendings where the whole history shows no such transfer', async () => {
      const key = await lose('never_arrives');
      const rows = await app.query(
        `SELECT extract(epoch FROM refusal_holds_at - first_sent_at)::float8 AS seconds FROM placements
          WHERE key = $1`,
        [key],
      );
      expect(rows[0]?.seconds).toBeCloseTo(30 + UPSTREAM_TIMEOUT_MS / 1_000, 0);
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      shards.fates = [{ refused: 'insufficient_funds' }, { refused: 'invalid_request' }];
      expect(await errorOf(move(key))).toMatchObject({ code: 'exchange_rejected', headers: {} });
      expect(await errorOf(move(key))).toMatchObject({ code: 'exchange_rejected', headers: {} });
      const replayed = await errorOf(move(key));
      expect(replayed).toMatchObject({ code: 'exchange_rejected', headers: { 'Idempotency-Replayed': 'true' } });
      expect(new Set(shards.sent).size).toBe(1);
    });

    it('R-13 what was once called a duplicate exists, whatever is refused later', async () => {
      const key = await lose('answer_lost');
      shards.history = 'hidden';
      expect((await move(key)).placed.id).toBeNull();
      shards.fates = [{ refused: 'invalid_request' }, { refused: 'insufficient_funds' }];
      for (let i = 0; i < 2; i++) expect((await errorOf(move(key))).code).toBe('transfer_outcome_unknown');
    });
  });

  it('without a key it is sent once, and an unknown fate may not be repeated blindly', async () => {
    shards.fates = ['answer_lost'];
    const error = await errorOf(move());
    expect(error).toMatchObject({ code: 'transfer_outcome_unknown', status: 504, retryable: false });
    expect(error.details?.client_transfer_id).toBe(shards.sent[0]);
    await move();
    expect(new Set(shards.sent).size).toBe(2);
  });

  it('contract.md 4 notes each once as made, and before that at most once as unknown', async () => {
    shards.fates = ['never_arrives', 'never_arrives'];
    const key = freshKey();
    await errorOf(move(key));
    await errorOf(move(key));
    await move(key);
    await move(key);
    const [client_transfer_id] = shards.sent;
    expect(await notes()).toEqual([
      { outcome: 'unknown', transfer_id: null, client_transfer_id, ...TERMS },
      { outcome: 'pending', transfer_id: 't-1', client_transfer_id, ...TERMS },
    ]);
  });

  describe('the routes', () => {
    const as = async (scope: string): Promise<string> => anApiKey(app, await aUser(app), [scope]);
    const send = (key: string, exchange: string, body: object): request.Test =>
      request(app.url).post(`/${exchange}/transfers`).auth(key, { type: 'bearer' }).send(body);

    it('takes admin to make one, and trade to look', async () => {
      const key = await as('trade');
      const refused = await send(key, 'kalshi', TERMS);
      expect([refused.status, refused.body]).toMatchObject([403, { error: { details: { required_scope: 'admin' } } }]);
    });

    it.each<[string, object]>([
      ['from_shard', { ...TERMS, from_shard: 0 }],
      ['to_shard', { ...TERMS, to_shard: 2 }],
      ['to_shard', { ...TERMS, to_shard: '0' }],
      ['to_shard', { from_shard: '0', amount: '25' }],
      ['amount', { ...TERMS, amount: 25 }],
      ['amount', { ...TERMS, amount: '0' }],
      ['amount', { ...TERMS, amount: '-1' }],
      ['amount', { ...TERMS, amount: '1e3' }],
      ['subaccount', { ...TERMS, subaccount: 1 }],
    ])('refuses a bad %s with 400', async (field, body) => {
      const answer = await send(await as('admin'), 'kalshi', body);
      expect([answer.status, answer.body]).toMatchObject([400, { error: { details: { fields: [{ field }] } } }]);
    });

    it('an exchange without shards is 422 not_supported on all of them, before credentials are asked for', async () => {
      const key = await as('admin');
      const read = (path: string): request.Test => request(app.url).get(path).auth(key, { type: 'bearer' });
      const answers = [
        await send(key, 'polymarket', TERMS),
        await read('/polymarket/transfers'),
        await read('/polymarket/transfers/x.y'),
      ];
      for (const { status, body } of answers) {
        expect([status, body]).toMatchObject([422, { error: { code: 'not_supported' } }]);
      }
    });

    it('refuses unknown parameters and a key of another form with 400', async () => {
      const key = await as('admin');
      const list = await request(app.url).get('/kalshi/transfers?shard=1').auth(key, { type: 'bearer' });
      expect(list.status).toBe(400);
      expect((await send(key, 'kalshi', TERMS).set('Idempotency-Key', 'a b')).status).toBe(400);
    });
  });
});
