import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('bench_keys')
export class ApiKey {
  @PrimaryColumn('text')
  hash: string;

  @Column('text', { name: 'user_id' })
  userId: string;

  @Column('text', { array: true })
  scopes: string[];

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}

@Entity('bench_credentials')
export class Credential {
  @PrimaryColumn('text', { name: 'user_id' })
  userId: string;

  @Column('text')
  exchange: string;

  /** Base64 of nonce, tag and ciphertext. */
  @Column('text')
  sealed: string;
}

@Entity('bench_users')
export class User {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  email: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
