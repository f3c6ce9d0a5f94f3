import { createServer } from 'node:http';
import { passOn } from './pass-on.mjs';
import { PORT } from './settings.mjs';

/** Bare `node:http`: passes every request on as it is. No key is checked. */
createServer(passOn).listen({ port: PORT, host: '127.0.0.1', backlog: 4096 }, () => process.send({ ready: true }));
