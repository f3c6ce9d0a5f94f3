import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { compare, isDecimal } from '../src/exchanges/decimal.js';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import type { Environment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import { type OrderHistory, OrderHistoryService } from '../src/commands/orders/order-history.service.js';
import { HandSettlingService, type Settlement } from '../src/commands/orders/hand-settling.service.js';
import { OrdersCommandModule } from '../src/commands/orders/orders.module.js';
import { jsonOf, linesOf } from '../src/commands/orders/orders-lines.js';
import { runCommand, UsageError } from './command.js';

const USAGE = [
  'Usage: npm run orders -- show ID [--ask] [--json] (an order id, a client_order_id or a request id)',
  '       npm run orders -- settle ID [--filled SIZE] [--yes] (of a bot, 24 h after its last sign; without --yes only told)',
].join('\n');

/** Longer or stranger texts are no id of an order or a request. */
const ID = /^[\x21-\x7e]{1,200}$/;

interface Show {
  readonly id: string;
  readonly isAsked: boolean;
  readonly isJson: boolean;
}

const OPTIONS = {
  show: { ask: { type: 'boolean' }, json: { type: 'boolean' } },
  settle: { filled: { type: 'string' }, yes: { type: 'boolean' } },
} as const;

function idIn([id, ...rest]: readonly string[]): string {
  if (id === undefined || rest.length > 0 || !ID.test(id)) throw new UsageError(USAGE);
  return id;
}

function parseSettlement(args: string[]): Settlement {
  const { values, positionals } = parseArgs({ args, options: OPTIONS.settle, allowPositionals: true });
  const { filled = null, yes = false } = values;
  if (filled !== null && (!isDecimal(filled) || compare(filled, '0') < 0)) throw new UsageError(USAGE);
  return { id: idIn(positionals), filled, isMeant: yes };
}

function parse([verb, ...args]: readonly string[]): Show | Settlement {
  try {
    if (verb === 'settle') return parseSettlement(args);
    const { values, positionals } = parseArgs({ args, options: OPTIONS.show, allowPositionals: true });
    if (verb !== 'show') throw new UsageError(USAGE);
    return { id: idIn(positionals), isAsked: values.ask === true, isJson: values.json === true };
  } catch {
    throw new UsageError(USAGE);
  }
}

async function withAnswer(service: OrderHistoryService, history: OrderHistory): Promise<OrderHistory> {
  return { ...history, steps: [...history.steps, await service.ask(history)] };
}

async function orders(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  const meant = parse(words);
  return 'filled' in meant ? app.get(HandSettlingService).settle(meant) : show(app, meant);
}

async function show(app: INestApplicationContext, { id, isAsked, isJson }: Show): Promise<string[]> {
  const service = app.get(OrderHistoryService);
  const found = await service.find(id);
  if (found.length === 0) process.exitCode = 1;
  const histories: OrderHistory[] = [];
  for (const history of found) histories.push(isAsked ? await withAnswer(service, history) : history);
  if (isJson) return [jsonOf(histories)];
  return histories.length === 0 ? ['Nothing is known of this id.'] : linesOf(histories);
}

/** What it is asked comes first: a slip of the pen starts no service, and is told though the database is away. */
function readSettings(environment: Environment): Settings {
  parse(process.argv.slice(2));
  return Settings.read(environment, EXCHANGE_SETTINGS);
}

await runCommand(orders, OrdersCommandModule, readSettings);
