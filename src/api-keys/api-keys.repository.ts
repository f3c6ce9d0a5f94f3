import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Networks } from '../access/networks.js';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { Transactions } from '../platform/database/transactions.js';
import { isUniqueViolation } from '../platform/database/database-errors.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** What a presented key turns out to be: whose it is, and what keeps it from being used, remembered for 90 days (contract.md 4). */
export interface ApiKeyFacts extends ApiKeyPrincipal {
  /** Null for a key that lives. */
  readonly refusal: 'key_revoked' | 'key_expired' | null;
  /** When it ends, by `performance.now()`; never later than by the database's clock. `Infinity` where it has no end. */
  readonly endsAt: number;
  /** Where it may be used from; null for everywhere. */
  readonly networks: Networks | null;
}

/** A row of `FIND`. */
interface FoundKey extends Pick<ApiKeyPrincipal, 'userId' | 'keyPrefix' | 'scopes' | 'bot'> {
  /** SHA-256 in hex. */
  readonly hash: string;
  readonly revoked: boolean;
  readonly msLeft: number | null;
  readonly networks: readonly string[] | null;
}

/** Main keys and those of bots, of which an end is that of the key or of the bot, whichever comes first. */
const findWhere = (condition: string): string => `
  SELECT encode(k.hash, 'hex') AS hash, k.user_id AS "userId", k.prefix AS "keyPrefix", k.scopes, k.revoked_at IS NOT NULL AS revoked,
         NULL::float8 AS "msLeft", NULL::text[] AS networks, NULL::jsonb AS bot
    FROM api_keys k JOIN users u ON u.id = k.user_id
   WHERE ${condition} AND u.disabled_at IS NULL
  UNION ALL
  SELECT encode(k.hash, 'hex'), b.user_id, k.prefix, b.scopes, k.revoked_at IS NOT NULL OR b.removed_at IS NOT NULL,
         (extract(epoch FROM LEAST(k.valid_until, b.expires_at) - clock_timestamp()) * 1000)::float8, b.allowed_networks,
         jsonb_build_object('id', b.id, 'name', b.name, 'exchanges', b.exchanges, 'markets', b.markets,
                            'requestsPerMinute', b.limits -> 'max_requests_per_minute', 'orderSeconds', b.limits -> 'max_order_seconds',
                            'hasPriceLimit', b.limits ? 'max_price_distance')
    FROM bot_keys k JOIN bots b ON b.id = k.bot_id JOIN users u ON u.id = b.user_id
   WHERE ${condition} AND u.disabled_at IS NULL`;
const FIND = findWhere('k.hash = $1');
const FIND_ALL = findWhere("k.hash IN (SELECT decode(given, 'hex') FROM unnest($1::text[]) AS given)");

/**
 * Writes the last uses of many keys at once; never moves one back. Rows are held in the order of their hashes, so
 * that two instances do not deadlock.
 */
const markUsedIn = (table: 'api_keys' | 'bot_keys'): string => `
  WITH used AS MATERIALIZED (
    SELECT decode(hash, 'hex') AS hash, at FROM unnest($1::text[], $2::timestamptz[]) AS given(hash, at)),
  held AS MATERIALIZED (
    SELECT hash FROM ${table} WHERE hash IN (SELECT hash FROM used) ORDER BY hash FOR NO KEY UPDATE)
  UPDATE ${table} k SET last_used_at = GREATEST(k.last_used_at, used.at)
    FROM held JOIN used USING (hash) WHERE k.hash = held.hash`;
const MARK_USED = [markUsedIn('api_keys'), markUsedIn('bot_keys')];

function refusalOf({ revoked, msLeft }: FoundKey): ApiKeyFacts['refusal'] {
  if (revoked) return 'key_revoked';
  return msLeft !== null && msLeft <= 0 ? 'key_expired' : null;
}

function factsOf(row: FoundKey, before: number): ApiKeyFacts {
  const { userId, keyPrefix, scopes, bot, msLeft, networks } = row;
  return {
    kind: 'api-key',
    userId,
    keyPrefix,
    scopes,
    bot,
    refusal: refusalOf(row),
    endsAt: msLeft === null ? Infinity : before + msLeft,
    networks: networks === null ? null : new Networks(networks),
  };
}

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Stores a key; false where the user has a live one already, by the unique index (S-29). */
  async insert(key: ApiKeyEntity): Promise<boolean> {
    try {
      await this.transactions.manager.insert(ApiKeyEntity, key);
      return true;
    } catch (error) {
      if (isUniqueViolation(error, 'api_keys_one_live_per_user')) return false;
      throw error;
    }
  }

  listLive(userId: string): Promise<ApiKeyEntity[]> {
    return this.transactions.manager.find(ApiKeyEntity, { where: { userId, revokedAt: IsNull() } });
  }

  /** Revokes a live key of this user by its exact prefix; false where there is none (S-29, S-32). */
  async revoke(userId: string, prefix: string, at: Date): Promise<boolean> {
    const where = { userId, prefix, revokedAt: IsNull() };
    const { affected } = await this.transactions.manager.update(ApiKeyEntity, where, { revokedAt: at });
    return affected === 1;
  }

  /** Revokes the user's live key, if any; returns its prefix, or null where there was none. */
  async revokeAny(userId: string, at: Date): Promise<string | null> {
    const [live] = await this.listLive(userId);
    if (live === undefined) return null;
    return (await this.revoke(userId, live.prefix, at)) ? live.prefix : null;
  }

  /**
   * By SHA-256 through the primary keys of main keys and of bots' keys, as one raw query, since every API call asks (contract.md 6,
   * S-28).
   */
  async findByHash(hash: Buffer): Promise<ApiKeyFacts | null> {
    const before = performance.now();
    const [row] = await this.transactions.manager.query<FoundKey[]>(FIND, [hash]);
    return row === undefined ? null : factsOf(row, before);
  }

  /** The same of many, by their SHA-256 in hex; those that nobody has are left out. */
  async findByHashes(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyFacts>> {
    const before = performance.now();
    const rows = await this.transactions.manager.query<FoundKey[]>(FIND_ALL, [hashes]);
    return new Map(rows.map((row) => [row.hash, factsOf(row, before)]));
  }

  /** Removes keys that were revoked 90 days ago or longer, at most `limit`; returns how many. */
  async removeLongRevoked(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM api_keys WHERE hash IN
         (SELECT hash FROM api_keys WHERE revoked_at < now() - interval '90 days' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  /** Notes the last uses of main keys and of bots' keys, by their SHA-256 in hex (R-20). */
  async markUsed(uses: ReadonlyMap<string, Date>): Promise<void> {
    const given = [[...uses.keys()], [...uses.values()].map((at) => at.toISOString())];
    for (const statement of MARK_USED) await this.transactions.manager.query(statement, given);
  }
}
