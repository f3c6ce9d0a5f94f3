import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { answerTo, SAMPLES } from './upstream-answers.mjs';

/**
 * The stand-in of Polymarket for streams: one book that changes so often a second as its parent says, told to all that listen. Its parent
 * sends `{ changesPerSecond, cutEveryMs }` and gets the same back; `{ port }` comes once. Change `n` sets the best bid to the size `n.5`, so that
 * whoever reads a change knows which one it is.
 */
const LEVELS = 40;
const [TOKEN] = SAMPLES.polymarketTokens;
const BEST = { bid: '0.4', ask: '0.6' };

/** Fixed levels on both sides behind the best ones. */
function side(best, step) {
  return Array.from({ length: LEVELS }, (_, at) => ({
    price: (best + step * at).toFixed(2).replace(/0$/, ''),
    size: `${100 + at}`,
  }));
}
const asks = side(0.6, 0.005 * 2).reverse();
const bids = side(0.4, -0.005 * 2).reverse();
const best = bids.at(-1);

let change = 0;
let atMs = Date.now();

function book(asset_id) {
  const levels = asset_id === TOKEN ? { bids, asks } : { bids: [], asks: [] };
  const hash = `${asset_id.slice(0, 8)}${asset_id === TOKEN ? change : ''}`;
  return { market: SAMPLES.polymarketMarket, asset_id, timestamp: String(atMs), hash, ...levels, tick_size: '0.01' };
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts).toString();
    const { status, body: answer } =
      request.url === '/clob/books'
        ? { status: 200, body: JSON.stringify(JSON.parse(body).map(({ token_id }) => book(token_id))) }
        : answerTo({ method: request.method, target: request.url, body });
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
  });
});

const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => {
    const text = data.toString();
    if (text === 'PING') return socket.send('PONG');
    const { operation, assets_ids = [] } = JSON.parse(text);
    if (operation === 'unsubscribe') return;
    socket.send(JSON.stringify(assets_ids.map((token) => ({ event_type: 'book', ...book(token) }))));
  });
});

function tell() {
  change += 1;
  atMs = Date.now();
  best.size = `${change}.5`;
  const entry = { asset_id: TOKEN, price: best.price, size: best.size, side: 'BUY', hash: book(TOKEN).hash };
  const price_changes = [{ ...entry, best_bid: BEST.bid, best_ask: BEST.ask }];
  const frame = JSON.stringify({ event_type: 'price_change', market: SAMPLES.polymarketMarket, timestamp: String(atMs), price_changes }); // prettier-ignore
  for (const socket of sockets.clients) if (socket.readyState === socket.OPEN) socket.send(frame);
}

let ticking;
let cutting;
process.on('message', ({ changesPerSecond = 0, cutEveryMs = 0 }) => {
  clearInterval(ticking);
  clearInterval(cutting);
  if (changesPerSecond > 0) ticking = setInterval(tell, 1_000 / changesPerSecond);
  if (cutEveryMs > 0) cutting = setInterval(() => sockets.clients.forEach((socket) => socket.terminate()), cutEveryMs);
  process.send({ changesPerSecond, cutEveryMs });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
