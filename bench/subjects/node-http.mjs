import { Agent, createServer, request } from 'node:http';
import { PORT, UPSTREAM_PORT } from './settings.mjs';

/** Bare `node:http`: passes every request on as it is, over connections that are kept. No key is checked. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

const server = createServer((incoming, outgoing) => {
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
});

server.listen({ port: PORT, host: '127.0.0.1', backlog: 4096 }, () => process.send({ ready: true }));
