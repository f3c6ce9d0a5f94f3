import type { INestApplicationContext } from '@nestjs/common';
import { UsersAdminService } from '../src/commands/users/users-admin.service.js';
import { UsersCommandModule } from '../src/commands/users/users.module.js';
import type { User } from '../src/users/users.service.js';
import { runCommand, UsageError } from './command.js';

const USAGE =
  'Usage: npm run users -- list [--ended-since TIME] | disable|enable|lock|end-sessions|delete EMAIL-OR-ID | end-sessions --all';
const EVERYBODY = '--all';
const ENDED_SINCE = '--ended-since';

const LOCKED = [
  'Every session, the password, the API key and the links in mails are dead. Exchange credentials stay stored, and so do the',
  'accounts at sign-in providers: where the thief has one of those too, disable the account until its owner has that back. The owner',
  'asks for a reset of the password (/dashboard/forgot-password), signs in, and makes a new API key.',
];
const STILL_DISABLED = 'The account is disabled: it gets no mail for a reset until you enable it.';

function describe({ id, email, createdAt, emailVerifiedAt, disabledAt }: User): string {
  const state = disabledAt !== null ? 'disabled' : emailVerifiedAt === null ? 'unverified' : 'active';
  return [id, createdAt.toISOString(), state, email].join('\t');
}

async function lock(service: UsersAdminService, user: User): Promise<string[]> {
  await service.lock(user);
  return [`${user.email}: locked`, ...LOCKED, ...(user.disabledAt === null ? [] : [STILL_DISABLED])];
}

async function endSessions(service: UsersAdminService, user: User): Promise<string[]> {
  return [`${user.email}: ${await service.endSessions(user)} sessions ended; password and API key go on working`];
}

async function change(service: UsersAdminService, verb: string, user: User): Promise<string[]> {
  if (verb === 'lock') return lock(service, user);
  if (verb === 'end-sessions') return endSessions(service, user);
  if (verb === 'disable') await service.disable(user);
  else if (verb === 'enable') await service.enable(user);
  else if (verb === 'delete') await service.remove(user);
  else throw new UsageError(USAGE);
  return [`${user.email}: ${verb}d`];
}

/** Accounts that were disabled or deleted since a time, as `npm run restore -- FILE --disable` takes them. */
function listEnded(service: UsersAdminService, time: string): Promise<string[]> {
  const since = new Date(time);
  if (Number.isNaN(since.getTime())) throw new UsageError(`${ENDED_SINCE} takes a time such as 2026-01-31T12:00:00Z.`);
  return service.listEnded(since);
}

async function list(service: UsersAdminService, options: readonly string[]): Promise<string[]> {
  const [option, time] = options;
  if (option === undefined) return (await service.list()).map(describe);
  if (option !== ENDED_SINCE || time === undefined || options.length > 2) throw new UsageError(USAGE);
  return listEnded(service, time);
}

async function users(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  const service = app.get(UsersAdminService);
  const [verb, who, ...rest] = words;
  if (verb === 'list') return list(service, words.slice(1));
  if (verb === undefined || who === undefined || rest.length > 0) throw new UsageError(USAGE);
  if (verb === 'end-sessions' && who === EVERYBODY) return [`${await service.endAllSessions()} sessions ended`];
  const user = await service.find(who);
  if (user === null) throw new UsageError('There is no such account.');
  return change(service, verb, user);
}

await runCommand(users, UsersCommandModule);
