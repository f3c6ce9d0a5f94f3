import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An id of 26 characters, as a ULID has them, for what has none yet. */
const NEW_ID = `'plc_0' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 25))`;

/** What both old tables have in one way. */
const COPIED = `user_id, exchange, key, fingerprint, account, nonce, reference, attempt, attempt_at, created_at, first_sent_at,
  busy_until, refusal_holds_at, is_duplicate, absent_at, answer, request_ids`;

/** What a refusal was, of a kept answer. */
const REASON = `COALESCE(answer -> 'refusal' -> 'details' ->> 'reason', answer -> 'refusal' ->> 'code')`;
const WORDS = `left(COALESCE(answer -> 'refusal' -> 'details' -> 'exchange' ->> 'message', answer -> 'refusal' ->> 'message'), 1000)`;

/** The state of a record of before: refused and not kept is what its owner may cure. */
const STATE = `CASE
    WHEN answer -> 'refusal' IS NOT NULL THEN 'refused'
    WHEN state = 'done' AND answer -> 'order' ->> 'status' IN ('filled', 'cancelled', 'rejected', 'expired') THEN 'closed'
    WHEN state = 'done' THEN 'made'
    WHEN state = 'unknown' AND refusal_holds_at = '-infinity' THEN 'refused'
    WHEN state = 'unknown' THEN 'unknown'
    WHEN reference IS NULL THEN 'begun' ELSE 'sending' END`;

const ORDERS_UNDER_KEYS = `
  INSERT INTO placements (id, kind, state, reason, words, client_order_id, exchange_id, market_id, outcome_index, side, price,
         size, time_in_force, post_only, status, filled_size, cost, currency, key_prefix, updated_at, ${COPIED})
  SELECT id, 'order', ${STATE}, ${REASON}, ${WORDS},
         COALESCE(reference ->> 'client_order_id', made ->> 'client_order_id'), COALESCE(made ->> 'id', reference ->> 'order_id'),
         COALESCE(made ->> 'market_id', details ->> 'market_id'),
         COALESCE(made -> 'outcome' ->> 'index', details ->> 'outcome_index')::smallint,
         COALESCE(made ->> 'side', details ->> 'side'), COALESCE(made ->> 'price', details ->> 'price'),
         COALESCE(made ->> 'size', details ->> 'size'), COALESCE(made ->> 'time_in_force', details ->> 'time_in_force'),
         COALESCE(made ->> 'post_only', details ->> 'post_only')::boolean, made ->> 'status', made ->> 'filled_size',
         placement_cost(made ->> 'side', made ->> 'price', made ->> 'size'), made ->> 'currency', event.key_prefix, attempt_at, ${COPIED}
    FROM (SELECT ${NEW_ID} AS id, state, ${COPIED}, (answer -> 'order')::jsonb AS made FROM idempotent_orders) AS kept
    LEFT JOIN LATERAL (SELECT noted.key_prefix, noted.details FROM security_events AS noted
      WHERE noted.user_id = kept.user_id AND noted.exchange = kept.exchange AND noted.type = 'order_created'
        AND noted.details ->> 'order_id' = COALESCE(kept.made ->> 'id', kept.reference ->> 'order_id')
      ORDER BY noted.created_at DESC LIMIT 1) AS event ON true`;

const TRANSFERS_UNDER_KEYS = `
  INSERT INTO placements (id, kind, state, reason, words, client_order_id, exchange_id, status, cost, currency, updated_at, ${COPIED})
  SELECT ${NEW_ID}, 'transfer', ${STATE}, ${REASON}, ${WORDS}, nonce::text, answer -> 'transfer' ->> 'id',
         answer -> 'transfer' ->> 'status', answer -> 'transfer' ->> 'amount', answer -> 'transfer' ->> 'currency', attempt_at, ${COPIED}
    FROM idempotent_transfers`;

const RECENT = `created_at > now() - interval '30 days' AND user_id IN (SELECT id FROM users) AND exchange IS NOT NULL`;

const PLACEMENTS = `
  CREATE TABLE placements (
    id               text        PRIMARY KEY,
    user_id          text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key_prefix       text,
    bot_id           text,
    exchange         text        NOT NULL,
    kind             text        NOT NULL CHECK (kind IN ('order', 'transfer')),
    key              text,
    fingerprint      bytea       NOT NULL,
    nonce            uuid        NOT NULL DEFAULT gen_random_uuid(),
    account          bytea,
    reference        jsonb,
    client_order_id  text,
    exchange_id      text,
    market_id        text,
    outcome_index    smallint,
    side             text,
    price            text,
    size             text,
    time_in_force    text,
    post_only        boolean,
    money            text,
    shares           text,
    cost             text,
    currency         text,
    state            text        NOT NULL CHECK (state IN ('begun', 'sending', 'unknown', 'made', 'refused', 'abandoned', 'closed')),
    reason           text,
    words            text,
    status           text,
    filled_size      text,
    cancelled_size   text,
    cancelled_at     timestamptz,
    attempt          integer     NOT NULL DEFAULT 1,
    attempt_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    first_sent_at    timestamptz,
    busy_until       timestamptz NOT NULL,
    refusal_holds_at timestamptz,
    is_duplicate     boolean     NOT NULL DEFAULT false,
    absent_at        timestamptz,
    unbound_at       timestamptz,
    checked_at       timestamptz,
    abandoned_at     timestamptz,
    answer           json,
    request_ids      text[]      NOT NULL DEFAULT '{}',
    CHECK ((first_sent_at IS NULL) = (refusal_holds_at IS NULL))
  ) WITH (fillfactor = 70)`;

const KEYS = `
  CREATE TABLE idempotency_keys (
    user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    sender       text        NOT NULL,
    exchange     text        NOT NULL,
    kind         text        NOT NULL,
    key          text        NOT NULL,
    placement_id text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (user_id, sender, exchange, kind, key)
  )`;

const COST = `
  CREATE FUNCTION placement_cost(side text, price text, size text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT trim_scale(CASE side WHEN 'buy' THEN price::numeric ELSE 1 - price::numeric END * size::numeric)::text
  $$`;

/** None is on what changes with each sign of life of a call. */
const INDEXES = [
  `CREATE INDEX placements_created_at ON placements (created_at)`,
  `CREATE INDEX placements_user ON placements (user_id, created_at)`,
  `CREATE INDEX placements_exchange_id ON placements (exchange_id, user_id) WHERE exchange_id IS NOT NULL`,
  `CREATE INDEX placements_client_order_id ON placements (client_order_id, user_id) WHERE client_order_id IS NOT NULL`,
  `CREATE INDEX placements_transfers ON placements (user_id, exchange, fingerprint) WHERE kind = 'transfer'`,
  `CREATE INDEX placements_refused ON placements (created_at) WHERE state IN ('refused', 'abandoned')`,
  `CREATE INDEX placements_open ON placements (user_id, (COALESCE(checked_at, busy_until)))
    WHERE state IN ('begun', 'sending', 'unknown') AND unbound_at IS NULL`,
  `CREATE INDEX placements_abandoned ON placements (user_id, abandoned_at) WHERE abandoned_at IS NOT NULL`,
  `CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at)`,
];

const BINDINGS = `
  INSERT INTO idempotency_keys (user_id, sender, exchange, kind, key, placement_id, created_at)
  SELECT user_id, '', exchange, kind, key, id, created_at FROM placements`;

/** The newest note of each order that no record knows; one of unknown fate has no other. */
const OTHER_ORDERS = `
  INSERT INTO placements (id, user_id, key_prefix, exchange, kind, fingerprint, state, client_order_id, exchange_id, market_id,
         outcome_index, side, price, size, time_in_force, post_only, status, cost, currency, attempt_at, updated_at, created_at, first_sent_at,
         busy_until, refusal_holds_at, request_ids)
  SELECT ${NEW_ID}, user_id, key_prefix, exchange, 'order', ''::bytea,
         CASE WHEN outcome = 'unknown' THEN 'unknown' WHEN outcome IN ('filled', 'cancelled', 'rejected', 'expired') THEN 'closed' ELSE 'made' END,
         client_order_id, order_id, market_id, outcome_index, side, price, size, time_in_force, post_only, NULLIF(outcome, 'unknown'),
         placement_cost(side, price, size), NULL, created_at, created_at, created_at, created_at, created_at, 'infinity',
         array_remove(ARRAY[request_id], NULL)
    FROM (SELECT DISTINCT ON (user_id, exchange, COALESCE(details ->> 'client_order_id', details ->> 'order_id'))
                 user_id, key_prefix, exchange, request_id, created_at, details ->> 'outcome' AS outcome,
                 details ->> 'client_order_id' AS client_order_id, details ->> 'order_id' AS order_id,
                 details ->> 'market_id' AS market_id, (details ->> 'outcome_index')::smallint AS outcome_index,
                 details ->> 'side' AS side, details ->> 'price' AS price, details ->> 'size' AS size,
                 details ->> 'time_in_force' AS time_in_force, (details ->> 'post_only')::boolean AS post_only
            FROM security_events
           WHERE ${RECENT} AND type = 'order_created'
             AND COALESCE(details ->> 'client_order_id', details ->> 'order_id') IS NOT NULL
           ORDER BY user_id, exchange, COALESCE(details ->> 'client_order_id', details ->> 'order_id'),
                    details ->> 'outcome' = 'unknown', created_at DESC) AS noted
   WHERE NOT EXISTS (SELECT FROM placements AS known WHERE known.user_id = noted.user_id AND known.exchange = noted.exchange
                                                       AND known.exchange_id = noted.order_id)
     AND NOT EXISTS (SELECT FROM placements AS known WHERE known.user_id = noted.user_id AND known.exchange = noted.exchange
                                                       AND known.client_order_id = noted.client_order_id)`;

const OTHER_TRANSFERS = `
  INSERT INTO placements (id, user_id, key_prefix, exchange, kind, fingerprint, state, client_order_id, exchange_id, status, cost,
         currency, attempt_at, updated_at, created_at, first_sent_at, busy_until, refusal_holds_at, request_ids)
  SELECT ${NEW_ID}, user_id, key_prefix, exchange, 'transfer', ''::bytea, CASE WHEN outcome = 'unknown' THEN 'unknown' ELSE 'made' END,
         client_transfer_id, transfer_id, NULLIF(outcome, 'unknown'), amount, 'USD', created_at, created_at, created_at, created_at, created_at,
         'infinity', array_remove(ARRAY[request_id], NULL)
    FROM (SELECT DISTINCT ON (user_id, exchange, details ->> 'client_transfer_id')
                 user_id, key_prefix, exchange, request_id, created_at, details ->> 'outcome' AS outcome,
                 details ->> 'client_transfer_id' AS client_transfer_id, details ->> 'transfer_id' AS transfer_id,
                 details ->> 'amount' AS amount
            FROM security_events
           WHERE ${RECENT} AND type = 'transfer_created' AND details ->> 'client_transfer_id' IS NOT NULL
           ORDER BY user_id, exchange, details ->> 'client_transfer_id', details ->> 'transfer_id' IS NULL, created_at DESC) AS noted
   WHERE NOT EXISTS (SELECT FROM placements AS known
                      WHERE known.user_id = noted.user_id AND known.client_order_id = noted.client_transfer_id)`;

/** What a cancel through this service has ended, also where its record does not know yet that the order was made. */
const CANCELS = `
  UPDATE placements SET cancelled_at = event.created_at, state = CASE state WHEN 'made' THEN 'closed' ELSE state END
    FROM security_events AS event
   WHERE event.type = 'order_cancelled' AND event.created_at > now() - interval '30 days'
     AND placements.user_id = event.user_id AND placements.exchange = event.exchange AND placements.kind = 'order'
     AND placements.exchange_id = event.details ->> 'order_id'`;

const OLD_COLUMNS = `
        user_id     text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        exchange    text        NOT NULL,
        key         text        NOT NULL,
        fingerprint bytea       NOT NULL,
        state       text        NOT NULL CHECK (state IN ('sending', 'unknown', 'done')),
        attempt     integer     NOT NULL DEFAULT 1,
        attempt_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        answer      json,
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        reference   jsonb,
        nonce       uuid        NOT NULL DEFAULT gen_random_uuid(),
        account     bytea,
        first_sent_at    timestamptz,
        refusal_holds_at timestamptz,
        request_ids text[] NOT NULL DEFAULT '{}',
        is_duplicate boolean NOT NULL DEFAULT false,
        absent_at   timestamptz,
        PRIMARY KEY (user_id, exchange, key),
        CHECK ((state = 'done') = (answer IS NOT NULL)),
        CHECK ((first_sent_at IS NULL) = (refusal_holds_at IS NULL))`;

/**
 * The ledger: a row for every order and every transfer that is sent, and the keys that stand for them (contract.md 5 and 6). What was
 * recorded under keys is copied, and of the last 30 days what the activity knows beside; both old tables go in the same transaction. An
 * instance of an earlier version then refuses every order and transfer with a key before a byte of it leaves, and what it makes without
 * one, and what it cancels, is missing here: stop all of those first. To go back is to restore a backup: `down` makes empty tables (rules.md, R-9).
 */
export class Placements1795200100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`LOCK TABLE idempotent_orders, idempotent_transfers IN ACCESS EXCLUSIVE MODE`);
    await runner.query(PLACEMENTS);
    await runner.query(KEYS);
    for (const index of INDEXES) await runner.query(index);
    await runner.query(COST);
    await runner.query(ORDERS_UNDER_KEYS);
    await runner.query(TRANSFERS_UNDER_KEYS);
    await runner.query(BINDINGS);
    await runner.query(`ANALYZE placements`);
    await runner.query(OTHER_ORDERS);
    await runner.query(OTHER_TRANSFERS);
    await runner.query(CANCELS);
    await runner.query(`DROP FUNCTION placement_cost(text, text, text)`);
    await runner.query(`DROP TABLE idempotent_orders`);
    await runner.query(`DROP TABLE idempotent_transfers`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_keys`);
    await runner.query(`DROP TABLE placements`);
    await runner.query(`CREATE TABLE idempotent_orders (
        busy_until timestamptz NOT NULL DEFAULT clock_timestamp() + interval '15 seconds', ${OLD_COLUMNS})`);
    await runner.query(`CREATE TABLE idempotent_transfers (busy_until timestamptz NOT NULL, ${OLD_COLUMNS})`);
    await runner.query(`CREATE INDEX idempotent_orders_attempt_at ON idempotent_orders (attempt_at)`);
    await runner.query(`CREATE INDEX idempotent_orders_open ON idempotent_orders (exchange) WHERE state <> 'done'`);
    await runner.query(`CREATE INDEX idempotent_transfers_attempt_at ON idempotent_transfers (attempt_at)`);
    await runner.query(
      `CREATE INDEX idempotent_transfers_open ON idempotent_transfers (exchange) WHERE state <> 'done'`,
    );
  }
}
