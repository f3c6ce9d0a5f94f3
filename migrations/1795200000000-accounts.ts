import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE users (
    id text PRIMARY KEY,
    email text NOT NULL,
    name text NOT NULL,
    avatar_url text,
    role text NOT NULL DEFAULT 'user',
    password_hash text,
    email_verified_at timestamptz,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_email_key UNIQUE (email)
  )`,
  `CREATE TABLE user_identities (
    provider text NOT NULL,
    subject text NOT NULL,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, subject)
  )`,
  `CREATE INDEX user_identities_user_id_idx ON user_identities (user_id)`,
  `CREATE TABLE pending_signups (
    id text PRIMARY KEY,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE INDEX pending_signups_email_idx ON pending_signups (email, created_at)`,
  `CREATE INDEX pending_signups_created_at_idx ON pending_signups (created_at)`,
  `CREATE TABLE whitelist_emails (
    email text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE account_tokens (
    token_hash bytea PRIMARY KEY,
    purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
    subject_id text NOT NULL,
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz
  )`,
  `CREATE INDEX account_tokens_email_idx ON account_tokens (email)`,
  `CREATE INDEX account_tokens_expires_at_idx ON account_tokens (expires_at)`,
  `CREATE TABLE sessions (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    refresh_hash bytea NOT NULL,
    ip text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT sessions_refresh_hash_key UNIQUE (refresh_hash)
  )`,
  `CREATE INDEX sessions_user_id_idx ON sessions (user_id)`,
  `CREATE INDEX sessions_expires_at_idx ON sessions (expires_at)`,
  `CREATE TABLE refresh_rotations (
    parent_hash bytea PRIMARY KEY,
    session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    successor_hash bytea NOT NULL,
    successor text,
    rotated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE INDEX refresh_rotations_session_id_idx ON refresh_rotations (session_id)`,
  `CREATE INDEX refresh_rotations_open_idx ON refresh_rotations (rotated_at) WHERE successor IS NOT NULL`,
  `CREATE TABLE known_devices (
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network text NOT NULL,
    device text NOT NULL,
    last_login_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, network, device)
  )`,
  `CREATE INDEX known_devices_last_login_at_idx ON known_devices (last_login_at)`,
  `CREATE TABLE mail_outbox (
    id text PRIMARY KEY,
    kind text NOT NULL,
    recipient text NOT NULL,
    data jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    outcome text CHECK (outcome IN ('sent', 'not_needed', 'given_up'))
  )`,
  `CREATE INDEX mail_outbox_due_idx ON mail_outbox (next_attempt_at) WHERE done_at IS NULL`,
  `CREATE INDEX mail_outbox_done_at_idx ON mail_outbox (done_at) WHERE done_at IS NOT NULL`,
  `CREATE TABLE rate_limits (
    key varchar(255) PRIMARY KEY,
    points integer NOT NULL DEFAULT 0,
    expire bigint
  )`,
  `CREATE INDEX rate_limits_expire_idx ON rate_limits (expire)`,
  `CREATE TABLE security_events (
    id text PRIMARY KEY,
    type text NOT NULL,
    user_id text,
    ip text NOT NULL,
    user_agent text NOT NULL,
    request_id text,
    key_prefix text,
    exchange text,
    details jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  )`,
  `CREATE INDEX security_events_user_id_idx ON security_events (user_id, created_at DESC, id DESC)`,
  `CREATE INDEX security_events_created_at_idx ON security_events (created_at)`,
  `CREATE FUNCTION keep_security_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '400 days' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'security_events is append-only' USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER security_events_append_only BEFORE UPDATE OR DELETE ON security_events
    FOR EACH ROW EXECUTE FUNCTION keep_security_events()`,
  `CREATE TRIGGER security_events_no_truncate BEFORE TRUNCATE ON security_events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_security_events()`,
];

const DOWN = [
  'DROP TABLE security_events',
  'DROP FUNCTION keep_security_events()',
  'DROP TABLE rate_limits',
  'DROP TABLE mail_outbox',
  'DROP TABLE known_devices',
  'DROP TABLE refresh_rotations',
  'DROP TABLE sessions',
  'DROP TABLE account_tokens',
  'DROP TABLE whitelist_emails',
  'DROP TABLE pending_signups',
  'DROP TABLE user_identities',
  'DROP TABLE users',
];

/** People, how they sign in, what is mailed to them and what they did (contract.md 4, S-7 to S-10, S-21, S-22, S-41, R-7, R-19). */
export class Accounts1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
