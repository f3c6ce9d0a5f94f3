import type { INestApplicationContext } from '@nestjs/common';
import { type BotChoice, BotsAdminService, type HaltReport } from '../src/bots/bots-admin.service.js';
import { BotsCommandModule } from '../src/commands/bots/bots.module.js';
import { EXCHANGE_IDS } from '../src/exchanges/exchange.registry.js';
import { UsersService } from '../src/users/users.service.js';
import { runCommand, UsageError } from './command.js';

const USAGE = 'Usage: npm run bots -- list | halt|resume --user EMAIL-OR-ID | --exchange ID | --all';

async function choiceOf(app: INestApplicationContext, [option, value, ...rest]: readonly string[]): Promise<BotChoice> {
  if (rest.length > 0) throw new UsageError(USAGE);
  if (option === '--all' && value === undefined) return { userId: null, exchange: null };
  if (value === undefined) throw new UsageError(USAGE);
  if (option === '--exchange') {
    if (!EXCHANGE_IDS.some((id) => id === value)) throw new UsageError(`There is no exchange ${value}.`);
    return { userId: null, exchange: value };
  }
  if (option !== '--user') throw new UsageError(USAGE);
  const users = app.get(UsersService);
  const user = (await users.find(value)) ?? (await users.findByEmail(value.toLowerCase()));
  if (user === null) throw new UsageError('There is no such account.');
  return { userId: user.id, exchange: null };
}

function describe({ bot_id: id, reason, complete, exchanges }: HaltReport): string {
  const did = exchanges.map(({ exchange, cancelled, not_cancelled: left, unsettled, error }) => {
    const said = `${exchange}: ${cancelled.length} cancelled, ${left.length} not, ${unsettled.length} unsettled`;
    return error === null ? said : `${said}, ${error.code}`;
  });
  return [id, `halted (${reason})`, complete ? 'complete' : 'goes on by itself', ...did].join('\t');
}

async function bots(app: INestApplicationContext, [verb, ...options]: readonly string[]): Promise<string[]> {
  const service = app.get(BotsAdminService);
  if (verb === 'list') {
    const choice = options.length === 0 ? { userId: null, exchange: null } : await choiceOf(app, options);
    const found = await service.list(choice);
    return found.map(({ id, userId, name, state, halted }) =>
      [id, userId, halted === null ? state : `${state} (${halted.reason})`, name].join('\t'),
    );
  }
  if (verb !== 'halt' && verb !== 'resume') throw new UsageError(USAGE);
  const choice = await choiceOf(app, options);
  if (verb === 'halt') return (await service.halt(choice)).map(describe);
  const resumed = await service.resume(choice);
  if (resumed.some(({ failure }) => failure !== null)) process.exitCode = 1;
  return resumed.map(({ id, name, failure }) =>
    [id, failure === null ? 'resumed' : `stays halted (${failure})`, name].join('\t'),
  );
}

await runCommand(bots, BotsCommandModule);
