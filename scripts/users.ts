import type { INestApplicationContext } from '@nestjs/common';
import { UsersAdminService } from '../src/auth/account/users-admin.service.js';
import type { User } from '../src/users/users.service.js';
import { runCommand, UsageError } from './command.js';

const USAGE = 'Usage: npm run users -- list | disable|enable|delete EMAIL-OR-ID';

function describe({ id, email, createdAt, emailVerifiedAt, disabledAt }: User): string {
  const state = disabledAt !== null ? 'disabled' : emailVerifiedAt === null ? 'unverified' : 'active';
  return [id, createdAt.toISOString(), state, email].join('\t');
}

async function change(service: UsersAdminService, verb: string, user: User): Promise<string> {
  if (verb === 'disable') await service.disable(user);
  else if (verb === 'enable') await service.enable(user);
  else if (verb === 'delete') await service.remove(user);
  else throw new UsageError(USAGE);
  return `${user.email}: ${verb}d`;
}

async function users(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  const service = app.get(UsersAdminService);
  const [verb, who] = words;
  if (verb === 'list' && who === undefined) return (await service.list()).map(describe);
  if (verb === undefined || who === undefined || words.length > 2) throw new UsageError(USAGE);
  const user = await service.find(who);
  if (user === null) throw new UsageError('There is no such account.');
  return [await change(service, verb, user)];
}

await runCommand(users);
