import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { start, untilReady } from '../lib/servers.mjs';

const MAIL_LIMIT_MS = 20_000;
const LINK = /\/dashboard\/verify-email#token=(?:3D)?([\w-]{43})/;

/** Limits stay on, as in production, but so high that no case meets them. */
const UNLIMITED = '100000000/1m';

/** The service of a build in `dist`, as `npm run start:prod` starts it, on an outside database. */
export class Ours {
  #environment;
  #dist;
  #node;

  constructor({ dist, node, port, upstreamPort, databaseUrl, dataDir, extra = {} }) {
    this.#dist = dist;
    this.#node = node;
    this.port = port;
    const upstream = `http://127.0.0.1:${upstreamPort}`;
    this.#environment = {
      // Production refuses exchanges without TLS; the service runs the same code in both.
      NODE_ENV: 'development',
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      // Only the search walks or has a catalogue.
      CATALOGUE_REFRESH: '0',
      ACCESS_TOKEN_TTL: '12h',
      RATE_LIMIT_API: UNLIMITED,
      RATE_LIMIT_AUTH: UNLIMITED,
      KALSHI_API_URL: `${upstream}/trade-api/v2`,
      POLYMARKET_CLOB_URL: `${upstream}/clob`,
      POLYMARKET_GAMMA_URL: `${upstream}/gamma`,
      POLYMARKET_DATA_URL: `${upstream}/data`,
      POLYMARKET_RELAYER_URL: `${upstream}/relayer`,
      JWT_SECRET: randomBytes(32).toString('base64url'),
      PASSWORD_PEPPER: randomBytes(32).toString('base64url'),
      ENCRYPTION_KEYS: `b1:${randomBytes(32).toString('base64')}`,
      ...extra,
    };
    this.dataDir = dataDir;
  }

  get databaseUrl() {
    return this.#environment.DATABASE_URL;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Another instance on the same database, with the same secrets, on another port; `more` settings win. */
  replica(port, more = {}) {
    const extra = { ...this.#environment, PORT: String(port), ...more };
    return new Ours({ dist: this.#dist, node: this.#node, port, dataDir: this.dataDir, extra });
  }

  /** Starts it on a core; resolves with the process and the ms until it was ready. */
  async start(core) {
    const since = performance.now();
    const args = [join(this.#dist, 'src', 'main.js')];
    const server = start(this.#node, args, { core, env: this.#environment, cwd: this.dataDir });
    const readyMs = await untilReady(`${this.url}/health/ready`, server, since);
    return { ...server, readyMs };
  }

  /** One call of the public interface; throws where it is refused. */
  async call(method, path, { token, body } = {}) {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return { answer: JSON.parse(text), cookie: /refresh_token=([^;]+)/.exec(response.headers.get('set-cookie'))?.[1] };
  }

  /** Signs a user up by the mailed link; returns the session's token. */
  async signUp({ email, password }) {
    await this.call('POST', '/auth/signup', { body: { email, password, name: 'Bench' } });
    const { answer } = await this.call('POST', '/auth/verify-email', {
      body: { token: await this.#mailedToken(email) },
    });
    return answer.access_token;
  }

  /** Makes an API key that may trade. */
  async createKey(token) {
    const { answer } = await this.call('POST', '/account/api-keys', { token, body: { scopes: ['trade'] } });
    return answer.key;
  }

  /** Signs in once; returns the refresh token. */
  async openSession(logIn) {
    return (await this.call('POST', '/auth/login', { body: logIn })).cookie;
  }

  async #mailedToken(email) {
    const outbox = join(this.dataDir, 'outbox');
    for (const until = Date.now() + MAIL_LIMIT_MS; Date.now() < until; await delay(20)) {
      for (const name of await readdir(outbox).catch(() => [])) {
        if (!name.endsWith('.eml')) continue;
        const text = (await readFile(join(outbox, name), 'utf8')).replaceAll(/=\r?\n/g, '');
        const token = LINK.exec(text)?.[1];
        if (token !== undefined && text.includes(`To: ${email}`)) return token;
      }
    }
    throw new Error('no mail with the link came');
  }
}
