import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../src/app.module.js';
import { WhitelistService } from '../src/auth/signup/whitelist.service.js';
import { runCommand, UsageError } from './command.js';

const USAGE = 'Usage: npm run whitelist -- add|remove EMAIL … | list';

async function each(emails: readonly string[], done: (email: string) => Promise<string>): Promise<string[]> {
  if (emails.length === 0) throw new UsageError(USAGE);
  const lines: string[] = [];
  for (const email of emails) lines.push(await done(email));
  return lines;
}

async function whitelist(app: INestApplicationContext, [verb, ...emails]: readonly string[]): Promise<string[]> {
  const service = app.get(WhitelistService);
  if (verb === 'add') {
    return each(emails, async (email) => `${email}: ${(await service.add(email)) ? 'added' : 'was there already'}`);
  }
  if (verb === 'remove') {
    return each(emails, async (email) => `${email}: ${(await service.remove(email)) ? 'removed' : 'was not there'}`);
  }
  if (verb === 'list' && emails.length === 0) return service.list();
  throw new UsageError(USAGE);
}

await runCommand(whitelist, AppModule);
