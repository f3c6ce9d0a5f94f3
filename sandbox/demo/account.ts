import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../sandbox.js';
import { HOUR } from '../times.js';
import { exchangeCredentials } from './environment.js';

const EMAIL = 'demo@example.com';
const MAIL_WAIT_MS = 10_000;
const MAIL_POLL_MS = 50;
const SESSION_KEY = '/account/credentials/polymarket/session-key';
/** How long the exchange lets a session key live: 4315 hours (polymarket.md 11). */
const SESSION_KEY_MS = 4_315 * HOUR;
/** A bot for an agent: what docs/agents.md says to start with. */
const AGENT = {
  name: 'agent',
  scopes: ['trade'],
  limits: {
    max_order_risk: '5',
    max_open_risk: '20',
    max_daily_risk: '20',
    max_total_risk: '100',
    max_open_orders: 10,
    max_orders_per_minute: 10,
    max_price_distance: '0.05',
    max_order_seconds: 3_600,
  },
};
const LINK = /\/dashboard\/verify-email#token=3D([\w-]+)|\/dashboard\/verify-email#token=([\w-]+)/;

interface LogIn {
  readonly email: string;
  readonly password: string;
}

/** The answer of one call to the service; throws with its code where it is not a success. */
async function call(address: string, path: string, options: { method: string; token?: string; body?: object }) {
  const response = await fetch(address + path, {
    method: options.method,
    headers: {
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(MAIL_WAIT_MS),
  });
  const body: unknown = await response.json();
  return { ok: response.ok, status: response.status, body };
}

function textAt(body: unknown, ...path: string[]): string {
  const value = path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([key]) => key === name)?.[1]
        : undefined,
    body,
  );
  return typeof value === 'string' ? value : '';
}

/** The log-in of the demo account: made once, kept beside the database with mode 0600. */
async function readLogIn(dataDir: string): Promise<LogIn> {
  const path = join(dataDir, 'demo.json');
  try {
    const known: unknown = JSON.parse(await readFile(path, 'utf8'));
    return { email: textAt(known, 'email'), password: textAt(known, 'password') };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const fresh = { email: EMAIL, password: `demo-${randomBytes(12).toString('base64url')}` };
  await writeFile(`${path}.tmp`, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return fresh;
}

async function findToken(outbox: string, since: number): Promise<string | null> {
  const names = await readdir(outbox).catch(() => []);
  for (const name of names
    .filter((candidate) => candidate.endsWith('.eml'))
    .sort()
    .reverse()) {
    const mail = (await readFile(join(outbox, name), 'utf8')).replaceAll(/=\r?\n/g, '');
    const [, encoded, plain] = LINK.exec(mail) ?? [];
    const sentAt = Date.parse(/^Date: (.+)$/m.exec(mail)?.[1] ?? '');
    const isOurs = mail.includes(EMAIL) && sentAt >= since - 1_000;
    const token = encoded ?? plain;
    if (isOurs && token !== undefined) return token;
  }
  return null;
}

/** The demo's own user, made and used through the service's public interface like any other. */
export class DemoAccount {
  private constructor(
    private readonly address: string,
    readonly logIn: LogIn,
    readonly accessToken: string,
  ) {}

  /** Signs in; on the first start signs up and follows the mail's link before. */
  static async open(address: string, dataDir: string): Promise<DemoAccount> {
    const logIn = await readLogIn(dataDir);
    const answer = await call(address, '/auth/login', { method: 'POST', body: logIn });
    const token = answer.ok ? textAt(answer.body, 'access_token') : await DemoAccount.#signUp(address, dataDir, logIn);
    return new DemoAccount(address, logIn, token);
  }

  static async #signUp(address: string, dataDir: string, logIn: LogIn): Promise<string> {
    const since = Date.now();
    const answer = await call(address, '/auth/signup', { method: 'POST', body: { ...logIn, name: 'Demo' } });
    if (!answer.ok) throw new Error(`the demo account could not sign up: ${textAt(answer.body, 'error', 'message')}`);
    const token = await DemoAccount.#awaitToken(join(dataDir, 'outbox'), since);
    const verified = await call(address, '/auth/verify-email', { method: 'POST', body: { token } });
    if (!verified.ok) throw new Error('the demo account could not be verified: remove DATA_DIR/demo to start afresh');
    return textAt(verified.body, 'access_token');
  }

  static async #awaitToken(outbox: string, since: number): Promise<string> {
    for (let waited = 0; waited < MAIL_WAIT_MS; waited += MAIL_POLL_MS) {
      const token = await findToken(outbox, since);
      if (token !== null) return token;
      await delay(MAIL_POLL_MS);
    }
    throw new Error('no verification mail came: remove DATA_DIR/demo to start the demo afresh');
  }

  /** Stores the sandbox's fresh keys in the place of those of an earlier start; at Polymarket a session key, as the owner of it. */
  async storeCredentials({ addresses, polymarket }: Sandbox): Promise<void> {
    for (const [exchange, body] of Object.entries(exchangeCredentials(addresses))) {
      const path = `/account/credentials/${exchange}`;
      await (exchange === 'polymarket' ? this.#must('DELETE', path) : this.#must('PUT', path, body));
    }
    const wallet = addresses.polymarket.deposit_wallet.address;
    const made = await this.#must('POST', SESSION_KEY, { wallet_address: wallet });
    const validUntil = new Date(Date.now() + SESSION_KEY_MS);
    const address = textAt(made, 'session_key', 'address');
    polymarket.authoriseSession(wallet, { address, validUntil, scopes: ['CLOB'] });
    await this.#must('POST', `${SESSION_KEY}/activate`, { valid_until: validUntil.toISOString() });
  }

  /** Revokes the key of an earlier start and makes a new one with the scope `trade`. */
  async renewApiKey(): Promise<string> {
    const { body } = await call(this.address, '/account/api-keys', { method: 'GET', token: this.accessToken });
    const [old] = /svc_sk_live_[0-9A-Za-z]{4}/.exec(JSON.stringify(body)) ?? [];
    if (old !== undefined) await this.#must('DELETE', `/account/api-keys/${old}`);
    return textAt(await this.#must('POST', '/account/api-keys', { name: 'demo', scopes: ['trade'] }), 'key');
  }

  /** Returns the key of the bot of agents, with limits to start with: a new one in the place of that of an earlier start. */
  async renewAgentKey(): Promise<string> {
    const listed = await this.#must('GET', '/account/bots');
    const bots = (listed as { bots: { id: string; name: string; state: string }[] }).bots;
    const known = bots.find(({ name, state }) => name === AGENT.name && state !== 'removed');
    if (known !== undefined) return textAt(await this.#must('POST', `/account/bots/${known.id}/rotate`, {}), 'key');
    return textAt(await this.#must('POST', '/account/bots', AGENT), 'key');
  }

  async #must(method: string, path: string, body?: object): Promise<unknown> {
    const options = { method, token: this.accessToken, ...(body === undefined ? {} : { body }) };
    const answer = await call(this.address, path, options);
    if (answer.ok) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}: ${textAt(answer.body, 'error', 'message')}`);
  }
}
