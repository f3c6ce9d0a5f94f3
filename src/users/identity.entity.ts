import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's account at a sign-in provider, by the provider's own subject (S-11). */
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
