import { ActivityService } from '../../src/activity/activity.service.js';
import { AccountRemovalService } from '../../src/auth/account/account-removal.service.js';
import { AccountContents } from '../../src/auth/contents/account-contents.js';
import { UsersAdminService } from '../../src/commands/users/users-admin.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { UsersService } from '../../src/users/users.service.js';
import type { TestApp } from './app.js';

/** What `npm run users` does, on the parts of a service that runs. */
export function usersAdmin(app: TestApp): UsersAdminService {
  const [users, removal, contents] = [app.get(UsersService), app.get(AccountRemovalService), app.get(AccountContents)];
  return new UsersAdminService(users, removal, contents, app.get(ActivityService), app.get(Transactions));
}
