import { constants, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { API, PORT, UPSTREAM_PORT } from './settings.mjs';

/**
 * The least that an order at Kalshi takes: `node:http`, a signature made with the PEM that the user gave, and undici. No key is
 * checked, nothing is validated, read from a database or written into one.
 */
const signInPool = promisify(sign);
const pool = new Pool(`http://127.0.0.1:${UPSTREAM_PORT}`, { connections: 256 });
const { access_key, private_key } = JSON.parse(process.env.BENCH_KALSHI);
const PATH = `${API}/portfolio/events/orders`;

async function signed() {
  const timestamp = String(Date.now());
  const key = {
    key: private_key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  const signature = await signInPool('sha256', Buffer.from(`${timestamp}POST${PATH}`), key);
  return {
    'Content-Type': 'application/json',
    'KALSHI-ACCESS-KEY': access_key,
    'KALSHI-ACCESS-TIMESTAMP': timestamp,
    'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
  };
}

async function order(incoming, outgoing) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { market_id: ticker, size: count, price } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const body = JSON.stringify({ ticker, client_order_id: randomUUID(), side: 'bid', count, price });
  const answer = await pool.request({ method: 'POST', path: PATH, headers: await signed(), body });
  const text = JSON.stringify(await answer.body.json());
  outgoing.writeHead(answer.statusCode, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  outgoing.end(text);
}

const server = createServer((incoming, outgoing) => {
  order(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen({ port: PORT, host: '127.0.0.1', backlog: 4096 }, () => process.send({ ready: true }));
