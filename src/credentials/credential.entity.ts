import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One user's sealed credentials for one exchange: each field sealed by itself, as text by `Sealed.toText` (S-36). */
@Entity('exchange_credentials')
export class CredentialEntity {
  @PrimaryColumn('text', { name: 'user_id' })
  userId: string;

  @PrimaryColumn('text')
  exchange: string;

  /** Never repeats; bound into every field. */
  @Column('bigint', { name: 'row_version' })
  rowVersion: string;

  @Column('text', { name: 'key_id' })
  keyId: string;

  @Column('jsonb', { select: false })
  fields: Record<string, string>;

  /** What the exchange said of them when they were stored or verified last; `parseFacts` reads it. Holds no secret. */
  @Column('jsonb', { nullable: true })
  facts: unknown;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
