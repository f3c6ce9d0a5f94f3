import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../access/principal.js';

/** One API key, live or revoked; the key itself is never stored, only its SHA-256 (specification.md 2.3, S-28). */
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('bytea', { select: false })
  hash: Buffer;

  @Column('text')
  prefix: string;

  @Column('text', { name: 'user_id' })
  userId: string;

  @Column('text')
  name: string;

  @Column('text', { array: true })
  scopes: Scope[];

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}
