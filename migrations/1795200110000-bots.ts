import type { MigrationInterface, QueryRunner } from 'typeorm';

const BOTS = `
  CREATE TABLE bots (
    id               text        PRIMARY KEY,
    user_id          text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name             text        NOT NULL,
    scopes           text[]      NOT NULL CHECK (cardinality(scopes) > 0),
    exchanges        text[],
    markets          jsonb,
    limits           jsonb       NOT NULL DEFAULT '{}',
    allowed_networks text[],
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at       timestamptz,
    expiry_noted_at  timestamptz,
    halted_at        timestamptz,
    halt_reason      text,
    halted_by        text,
    halt_report      jsonb,
    halt_complete_at timestamptz,
    halt_tried_at    timestamptz,
    removed_at       timestamptz,
    beat_ttl         integer,
    beat_on_miss     text        CHECK (beat_on_miss IN ('halt', 'cancel')),
    last_beat_at     timestamptz,
    beat_lapses_at   timestamptz,
    missed_since     timestamptz,
    cancel_wanted_at timestamptz,
    CHECK ((halted_at IS NULL) = (halt_reason IS NULL)),
    CHECK ((beat_ttl IS NULL) = (beat_on_miss IS NULL))
  ) WITH (fillfactor = 70)`;

/**
 * A change of what a bot may do, and its switch, waits for the sendings that look at it now. Since when the bot is halted, and its orders are
 * to be cancelled, is said after that wait: no order that has begun before is younger (contract.md 5.13).
 */
const CHANGE_WAITS = `
  CREATE FUNCTION bot_change_waits() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(OLD.user_id, 2));
    IF OLD.halted_at IS NULL AND NEW.halted_at IS NOT NULL THEN NEW.halted_at := clock_timestamp(); END IF;
    IF NEW.cancel_wanted_at > COALESCE(OLD.cancel_wanted_at, '-infinity') THEN NEW.cancel_wanted_at := clock_timestamp(); END IF;
    RETURN NEW;
  END $$`;

/** A beat of the heart changes none of these. */
const UPDATES_WAIT = `
  CREATE TRIGGER bots_update_waits BEFORE UPDATE ON bots FOR EACH ROW
    WHEN (OLD.halted_at IS DISTINCT FROM NEW.halted_at OR OLD.removed_at IS DISTINCT FROM NEW.removed_at
      OR OLD.expires_at IS DISTINCT FROM NEW.expires_at OR OLD.scopes IS DISTINCT FROM NEW.scopes
      OR OLD.exchanges IS DISTINCT FROM NEW.exchanges OR OLD.markets IS DISTINCT FROM NEW.markets
      OR OLD.limits IS DISTINCT FROM NEW.limits OR OLD.missed_since IS DISTINCT FROM NEW.missed_since)
    EXECUTE FUNCTION bot_change_waits()`;

const KEYS = `
  CREATE TABLE bot_keys (
    hash         bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
    prefix       text        NOT NULL,
    bot_id       text        NOT NULL REFERENCES bots (id) ON DELETE CASCADE,
    user_id      text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz,
    valid_until  timestamptz,
    revoked_at   timestamptz
  )`;

const INDEXES = [
  `CREATE UNIQUE INDEX bots_name ON bots (user_id, lower(name)) WHERE removed_at IS NULL`,
  `CREATE INDEX bots_user ON bots (user_id, removed_at)`,
  `CREATE INDEX bots_removed ON bots (removed_at) WHERE removed_at IS NOT NULL`,
  `CREATE INDEX bots_halts ON bots (halted_at) WHERE halted_at IS NOT NULL AND halt_complete_at IS NULL`,
  `CREATE INDEX bots_beats ON bots (beat_lapses_at) WHERE beat_lapses_at IS NOT NULL`,
  `CREATE INDEX bots_ends ON bots (expires_at) WHERE expires_at IS NOT NULL AND removed_at IS NULL AND halted_at IS NULL`,
  `CREATE INDEX bots_untold_ends ON bots (expires_at) WHERE expires_at IS NOT NULL AND removed_at IS NULL AND expiry_noted_at IS NULL`,
  `CREATE INDEX bot_keys_bot ON bot_keys (bot_id)`,
  `CREATE INDEX bot_keys_ended ON bot_keys (COALESCE(revoked_at, valid_until)) WHERE COALESCE(revoked_at, valid_until) IS NOT NULL`,
];

/**
 * When the switch of a bot fires; null where it is not armed. Beats that were missed while the database was away count from its return.
 */
const BEAT_END = `
  CREATE FUNCTION beat_end(bot bots) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT GREATEST(bot.beat_lapses_at, pg_postmaster_start_time() + make_interval(secs => bot.beat_ttl))
     WHERE bot.beat_lapses_at IS NOT NULL
  $$`;

/** Why a bot may not send now; null where it may. For a caller that holds the lock of its user. */
const BOT_REFUSAL = `
  CREATE FUNCTION bot_refusal(the_bot text, key_prefix text, at_exchange text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  DECLARE bot bots;
  BEGIN
    SELECT * INTO bot FROM bots WHERE id = the_bot;
    RETURN CASE
      WHEN bot.id IS NULL OR bot.removed_at IS NOT NULL THEN 'key_revoked'
      WHEN NOT EXISTS (SELECT FROM bot_keys WHERE bot_id = the_bot AND prefix = key_prefix AND revoked_at IS NULL) THEN 'key_revoked'
      WHEN bot.expires_at <= clock_timestamp() THEN 'key_expired'
      WHEN NOT EXISTS (SELECT FROM bot_keys WHERE bot_id = the_bot AND prefix = key_prefix AND revoked_at IS NULL
                                              AND (valid_until IS NULL OR valid_until > clock_timestamp())) THEN 'key_expired'
      WHEN NOT 'trade' = ANY (bot.scopes) THEN 'scope_refused'
      WHEN bot.exchanges IS NOT NULL AND NOT at_exchange = ANY (bot.exchanges) THEN 'exchange_not_allowed'
      WHEN bot.halted_at IS NOT NULL OR bot.missed_since IS NOT NULL OR beat_end(bot) <= clock_timestamp() THEN 'bot_halted'
    END;
  END $$`;

/** As the one with five parameters, which an earlier version goes on calling, for who sends with the key of a bot too. */
const SENDING_REFUSAL = `
  CREATE FUNCTION sending_refusal(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, bot text)
  RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    IF bot IS NULL THEN RETURN sending_refusal(sender, key_prefix, at_exchange, stored, active); END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(sender, 2));
    RETURN CASE
      WHEN NOT EXISTS (SELECT FROM users WHERE id = sender AND disabled_at IS NULL) THEN 'user_gone'
      WHEN (SELECT row_version FROM exchange_credentials WHERE user_id = sender AND exchange = at_exchange)
             IS DISTINCT FROM stored
        OR (SELECT row_version FROM session_keys
             WHERE user_id = sender AND exchange = at_exchange AND state = 'active')
             IS DISTINCT FROM active THEN 'credentials_changed'
      ELSE bot_refusal(bot, key_prefix, at_exchange)
    END;
  END $$`;

/** The lines are those of the function that it replaces. */
const NOTE_ACTIVITY = (columns: string, types: string): string => `
      CREATE OR REPLACE FUNCTION note_activity(events jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        INSERT INTO security_events (id, type, user_id, ip, user_agent, request_id, key_prefix, session_id, exchange, details${columns})
        SELECT id, type, user_id, ip, user_agent, request_id, key_prefix, session_id, exchange, details${columns}
          FROM jsonb_to_recordset(events) AS event (id text, type text, user_id text, ip text, user_agent text,
            request_id text, key_prefix text, session_id text, exchange text, details jsonb${types});
        RETURN true;
      END $$`;

/**
 * Bots, and a key each (contract.md 5.11). Their keys lie in a table of their own, so that an earlier version knows none of them and
 * refuses each; that a change of a bot waits for the sendings under way is as of other rights to send (S-30). An earlier version notes
 * activity as before.
 */
export class Bots1795200110000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BOTS);
    await runner.query(KEYS);
    for (const index of INDEXES) await runner.query(index);
    await runner.query(BEAT_END);
    await runner.query(BOT_REFUSAL);
    await runner.query(SENDING_REFUSAL);
    await runner.query(CHANGE_WAITS);
    await runner.query(UPDATES_WAIT);
    await runner.query(
      `CREATE TRIGGER bots_delete_waits BEFORE DELETE ON bots FOR EACH ROW EXECUTE FUNCTION wait_for_sendings()`,
    );
    await runner.query(
      `CREATE TRIGGER bot_keys_update_waits BEFORE UPDATE ON bot_keys
         FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.valid_until IS DISTINCT FROM NEW.valid_until)
         EXECUTE FUNCTION wait_for_sendings()`,
    );
    await runner.query(`ALTER TABLE security_events ADD COLUMN bot_id text`);
    await runner.query(NOTE_ACTIVITY(', bot_id', ', bot_id text'));
    await runner.query(
      `CREATE INDEX security_events_bot ON security_events (bot_id, created_at) WHERE bot_id IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX placements_bot ON placements (bot_id, created_at) WHERE bot_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX placements_bot`);
    await runner.query(`DROP INDEX security_events_bot`);
    await runner.query(NOTE_ACTIVITY('', ''));
    await runner.query(`ALTER TABLE security_events DROP COLUMN bot_id`);
    await runner.query(`DROP FUNCTION sending_refusal(text, text, text, bigint, bigint, text)`);
    await runner.query(`DROP FUNCTION bot_refusal(text, text, text)`);
    await runner.query(`DROP FUNCTION beat_end(bots)`);
    await runner.query(`DROP TABLE bot_keys`);
    await runner.query(`DROP TABLE bots`);
    await runner.query(`DROP FUNCTION bot_change_waits()`);
  }
}
