import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { Agent } from 'node:http';
import { checkKey } from './key-check.mjs';
import { API, PORT, UPSTREAM_PORT } from './settings.mjs';

/** express 5 and http-proxy-middleware behind a key check that is cached for a second: the short way to a proxy. */
const app = express();
app.use(checkKey);
app.get('/me', (request, response) => {
  response.json({ user_id: request.user.id, scopes: request.user.scopes });
});
app.use(
  createProxyMiddleware({
    pathFilter: API,
    target: `http://127.0.0.1:${UPSTREAM_PORT}`,
    agent: new Agent({ keepAlive: true, maxSockets: 256 }),
  }),
);
app.listen(PORT, '127.0.0.1', 4096, () => process.send({ ready: true }));
