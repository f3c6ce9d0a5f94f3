import { type Routes } from '../../wire/router.js';
import { signed, type SignedCall } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { dollars } from '../format.js';
import { READ_ACCOUNT, TRANSFER } from '../keys/scopes.js';
import { paged } from '../pages.js';
import { decodeObject, Fields, isUuid, parseSubaccount } from '../portfolio/order-request.js';
import { KalshiQuery, MAX_INDEX } from '../query.js';
import { refusal } from '../refusals.js';
import { type TransferRecord, type TransferRequest } from './transfers.js';

const INSTANCES = { event_contract: 'event_contract', margined: 'margined' } as const;
const PAGE = { default: 100, max: 500 };

/** A hundredth of a cent in millionths of a dollar: the unit of requests, and of requests alone. */
const CENTICENT = 100n;

/** Money between the shards of a member (kalshi.md 9.4). */
export function transferRoutes(exchange: Exchange): Routes {
  const moves = signed(exchange.keys, TRANSFER, {
    'POST /portfolio/intra_exchange_instance_transfer': ({ account, request, now }) => ({
      transfer_id: exchange.transfers.start(account, parseTransfer(request.body), now).id,
    }),
  });
  const reads = signed(exchange.keys, READ_ACCOUNT, {
    'GET /portfolio/intra_exchange_instance_transfers': (call) => listTransfers(exchange, call),
    'GET /portfolio/intra_exchange_instance_transfers/:id': (call) => getTransfer(exchange, call),
  });
  return { ...moves, ...reads };
}

function parseTransfer(body: string): TransferRequest {
  const name = 'IntraExchangeInstanceTransferRequest';
  const fields = new Fields(decodeObject(body, name), name);
  const instances = [fields.choice('source', INSTANCES), fields.choice('destination', INSTANCES)];
  const amount = fields.integer('amount') ?? 0;
  if (amount <= 0) throw refusal(400, 'bad_request', 'amount must be positive');
  const clientTransferId = fields.text('client_transfer_id');
  if (clientTransferId !== undefined && !isUuid(clientTransferId))
    throw refusal(400, 'bad_request', 'client_transfer_id must be a UUID');
  if (instances.includes('margined')) throw refusal(400, 'bad_request', 'margined account does not exist');
  const purse = (end: 'source' | 'destination') => ({
    shard: parseShard(fields.integer(`${end}_exchange_shard`)),
    subaccount: parseSubaccount(fields.integer(`${end}_subaccount`)) ?? 0,
  });
  return { from: purse('source'), to: purse('destination'), amount: BigInt(amount) * CENTICENT, clientTransferId };
}

function parseShard(shard = 0): number {
  if (shard < 0 || shard > MAX_INDEX) throw refusal(400, 'bad_request', 'exchange shard is invalid');
  return shard;
}

function listTransfers(exchange: Exchange, { account, request }: SignedCall): unknown {
  const query = new KalshiQuery('GetIntraExchangeInstanceTransfers', request.query);
  const { page, cursor } = paged(exchange.transfers.of(account), query, { ...PAGE, id: ({ id }) => id });
  return { transfers: page.map(toTransferJson), cursor };
}

function getTransfer(exchange: Exchange, { account, params }: SignedCall): unknown {
  const found = exchange.transfers.of(account).find(({ id }) => id === params.id);
  if (found === undefined) throw refusal(404, 'not_found');
  return { transfer: toTransferJson(found) };
}

/** `IntraExchangeInstanceTransfer`: the amount in dollars, the time in ms. */
function toTransferJson({ id, from, to, amount, status, createdAt }: TransferRecord) {
  return {
    transfer_id: id,
    source: INSTANCES.event_contract,
    destination: INSTANCES.event_contract,
    source_exchange_shard: from.shard,
    destination_exchange_shard: to.shard,
    amount: dollars(amount),
    status,
    created_ts: createdAt,
  };
}
