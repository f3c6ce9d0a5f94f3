import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { createServer } from 'node:http';
import pg from 'pg';
import { passOn } from './pass-on.mjs';
import { DATABASE_URL, PORT } from './settings.mjs';

/** better-auth with its api-key plugin in front of the same bare proxy. Limits are off: its default is ten requests a day. */
const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: process.env.BENCH_SEALING_KEY,
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
});
const { runMigrations } = await getMigrations(auth.options);
await runMigrations();

const logIn = JSON.parse(process.env.BENCH_LOG_IN);
const { user } = await auth.api.signUpEmail({ body: { ...logIn, name: 'Bench' } });
const { key } = await auth.api.createApiKey({ body: { userId: user.id, name: 'bench' } });
const { headers } = await auth.api.signInEmail({ body: logIn, returnHeaders: true });
const cookie = headers.getSetCookie()[0].split(';', 1)[0];

const handleAuth = toNodeHandler(auth);

function refuse(outgoing) {
  outgoing.writeHead(401, { 'Content-Type': 'application/json' });
  outgoing.end('{"error":{"code":"unauthorized","message":"Give a valid API key."}}');
}

async function handleKeyed(incoming, outgoing) {
  const [scheme, given] = incoming.headers.authorization?.split(' ') ?? [];
  const { valid, key: found } =
    scheme === 'Bearer' && given !== undefined
      ? await auth.api.verifyApiKey({ body: { key: given } })
      : { valid: false, key: null };
  if (!valid) refuse(outgoing);
  else if (incoming.url === '/me') {
    outgoing.writeHead(200, { 'Content-Type': 'application/json' });
    outgoing.end(JSON.stringify({ user_id: found.referenceId, scopes: found.permissions }));
  } else passOn(incoming, outgoing);
}

const server = createServer((incoming, outgoing) => {
  if (incoming.url.startsWith('/api/auth/')) void handleAuth(incoming, outgoing);
  else handleKeyed(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen({ port: PORT, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send({ ready: true, facts: { key, cookie } });
});
