import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox.js';
import { StreamClient } from '../../streams/client.js';
import { type Json } from '../../wire/json.js';
import { PolymarketTrader, request } from '../trader.js';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();

describe('books of the Polymarket stream', () => {
  let sandbox: Sandbox;
  let trader: PolymarketTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    sandbox.streamFaults.clear();
  });

  afterAll(() => sandbox.close());

  async function connect(tokens: string[], extra: object = {}): Promise<StreamClient> {
    const client = await StreamClient.open(`${sandbox.polymarket.account.ws_url}/market`);
    clients.push(client);
    client.send({ type: 'market', assets_ids: tokens, ...extra });
    return client;
  }

  function ofType(type: string): (message: Json) => boolean {
    return ({ event_type }) => event_type === type;
  }

  async function restBook(token: string): Promise<Json> {
    const { body } = await request(`${sandbox.polymarket.account.clob_url}/book?token_id=${token}`);
    return body as Json;
  }

  it('begins with one array of the books that REST shows', async () => {
    const client = await connect([V2_YES, '1234']);
    const [book] = await client.find(ofType('book'));
    const rest = await restBook(V2_YES);
    expect({ ...book, min_order_size: '5', neg_risk: false }).toEqual({ ...rest, event_type: 'book' });
    expect(client.texts).toHaveLength(1);
    expect(client.texts[0]).toMatch(/^\[/);
  });

  it('goes on with new totals of levels, and the hash of REST', async () => {
    const client = await connect([V2_YES]);
    await client.find(ofType('book'));
    await trader.post(trader.sign({ tokenId: V2_YES, side: 'BUY', price: '0.01', size: '7' }));
    const [change] = await client.find(ofType('price_change'));
    const { hash } = await restBook(V2_YES);
    expect(change).toMatchObject({
      price_changes: [{ asset_id: V2_YES, price: '0.01', side: 'BUY', hash }, { side: 'SELL' }],
    });
  });
});
