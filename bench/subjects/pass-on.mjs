import { Agent, request } from 'node:http';
import { UPSTREAM_PORT } from './settings.mjs';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Passes a request on to the upstream as it is, and its answer back, over connections that are kept. */
export function passOn(incoming, outgoing) {
  const { method, url: path, headers } = incoming;
  const upstream = request({ agent, host: '127.0.0.1', port: UPSTREAM_PORT, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502);
    outgoing.end();
  });
  incoming.pipe(upstream);
}
