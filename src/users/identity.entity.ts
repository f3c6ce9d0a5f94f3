import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account at an OAuth provider that signs a user in, by the provider's own subject (S-11). */
@Entity('user_identities')
export class IdentityEntity {
  @PrimaryColumn('text')
  provider: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('text', { name: 'user_id' })
  userId: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
