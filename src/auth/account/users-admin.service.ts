import { Injectable } from '@nestjs/common';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { AccountClosingService } from './account-closing.service.js';
import { AccountSwitch } from './account-switch.js';

/** What the operator may do with accounts (`npm run users`). */
@Injectable()
export class UsersAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly removal: AccountClosingService,
    private readonly accounts: AccountSwitch,
    private readonly contents: AccountContents,
  ) {}

  list(): Promise<User[]> {
    return this.users.list();
  }

  /** By id or address; null where there is none. */
  async find(idOrEmail: string): Promise<User | null> {
    return (await this.users.find(idOrEmail)) ?? this.users.findByEmail(idOrEmail.toLowerCase());
  }

  /** Ends all sessions; returns when no instance accepts the API key any more (DESIGN 6). */
  async disable(user: User): Promise<void> {
    await this.accounts.off(user);
    await this.contents.waitForKeyCacheExpiry();
  }

  async enable(user: User): Promise<void> {
    await this.accounts.on(user);
  }

  /** With everything that belongs to it, for good. */
  async remove(user: User): Promise<void> {
    await this.removal.remove(user);
  }
}
