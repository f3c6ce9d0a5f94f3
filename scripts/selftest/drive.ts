import { setTimeout as delay } from 'node:timers/promises';
import type { LeakHunt, Place } from './leak-hunt.js';
import type { MailSink } from './mail-sink.js';
import { type Document, type Operation, operationsOf } from './operations.js';

const MAIL_WAIT_MS = 30_000;
const CREDENTIALS_PATTERN = '/account/credentials/{exchange}';

/** Answers in which the contract shows what was just made (contract.md 4): tokens at any sign-in, an API key at its making. */
const isSignIn = ({ name }: Place): boolean => name.startsWith('2xx of POST /auth/');
const isKeyMaking = ({ name }: Place): boolean => name === '2xx of POST /account/api-keys';
const isMail = ({ name }: Place): boolean => name === 'mail';

/** A service to be driven, with what it sends mails to and the credentials that its exchanges take. */
export interface Stand {
  readonly url: string;
  readonly mails: MailSink;
  /** What the addresses of the people begin with, who are signed up on the way. */
  readonly people: string;
  /** Bodies of `PUT /account/credentials/{exchange}`. */
  readonly credentials: Readonly<Record<string, object>>;
}

interface Person {
  readonly email: string;
  readonly password: string;
  token: string;
  key: string;
}

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly pattern?: string;
  readonly token?: string | undefined;
  readonly body?: string | undefined;
}

/** Calls every operation of the OpenAPI document, well and badly formed, and notes what comes back. */
export class Driver {
  readonly #reached = new Set<string>();
  #people = 0;
  #person: Person | null = null;

  constructor(
    private readonly stand: Stand,
    private readonly hunt: LeakHunt,
  ) {}

  /** Drives all; throws where an operation was never got through to. */
  async run(): Promise<number> {
    const document = (await (await fetch(`${this.stand.url}/docs/openapi.json`)).json()) as Document;
    const operations = operationsOf(document);
    for (const operation of operations) await this.#drive(operation);
    const missed = operations
      .map(({ method, pattern }) => `${method} ${pattern}`)
      .filter((name) => !this.#reached.has(name));
    if (missed.length > 0) throw new Error(`these operations were not reached: ${missed.join(', ')}`);
    return operations.length;
  }

  async #drive(operation: Operation): Promise<void> {
    const { method, pattern, bodies } = operation;
    for (const target of operation.targets) {
      const person = await this.#signedIn();
      const call = { method, pattern, target };
      const token = { 'access-token': person.token, 'api-key': person.key, nobody: undefined }[operation.sender];
      for (const body of this.#badBodies(bodies, person)) await this.#send({ ...call, token, body });
      const secret = encodeURIComponent(person.password);
      await this.#send({ ...call, token, target: `${target}${target.includes('?') ? '&' : '?'}password=${secret}` });
      for (const wrong of [person.token, person.key, `${person.key.slice(0, -1)}!`]) {
        if (wrong !== token) await this.#send({ ...call, token: wrong });
      }
      for (const body of this.#goodBodies(operation, target, person)) await this.#send({ ...call, token, body });
      // What answered once may be repeated from what is kept.
      if (method === 'GET') await this.#send({ ...call, token });
    }
  }

  /** Every field filled with a secret, a member that nobody knows, and JSON that breaks off. */
  #badBodies(bodies: Operation['bodies'], { password, key }: Person): string[] {
    return bodies.flatMap((body) => {
      const filled = Object.fromEntries(Object.keys(body).map((name) => [name, key]));
      const broken = JSON.stringify({ ...body, password }).slice(0, -1);
      return [JSON.stringify(filled), JSON.stringify({ ...body, [password]: key }), broken];
    });
  }

  #goodBodies(
    { method, pattern, bodies }: Operation,
    target: string,
    { email, password }: Person,
  ): (string | undefined)[] {
    if (bodies.length === 0) return [undefined];
    if (`${method} ${pattern}` === `PUT ${CREDENTIALS_PATTERN}`) {
      return [JSON.stringify(this.stand.credentials[target.split('/')[3] ?? ''] ?? {})];
    }
    return bodies.map((body) => {
      const own = { email, password, current_password: password };
      const known = Object.entries(own).filter(([name]) => name in body);
      return JSON.stringify({ ...body, ...Object.fromEntries(known) });
    });
  }

  /** Somebody with a session, an API key and credentials: another where the last call took one of these away. */
  async #signedIn(): Promise<Person> {
    if (this.#person !== null) {
      const session = await this.#send({ method: 'GET', target: '/account/profile', token: this.#person.token });
      const key = await this.#send({ method: 'GET', target: '/me', token: this.#person.key });
      if (session.status === 200 && key.status === 200) return this.#person;
    }
    this.#person = await this.#newPerson();
    return this.#person;
  }

  async #newPerson(): Promise<Person> {
    this.#people += 1;
    const email = `${this.stand.people}-${this.#people}@example.com`;
    const password = this.hunt.plant('password', `planted pass phrase ${crypto.randomUUID()}`);
    const post = (target: string, body: object, token?: string) =>
      this.#send({ method: 'POST', target, pattern: target, token, body: JSON.stringify(body) });
    await post('/auth/signup', { email, password, name: 'Person' });
    const mailed = this.hunt.plant('one-time token', await this.#mailedToken(email), isMail);
    const verified = await post('/auth/verify-email', { token: mailed });
    const token = this.#plantSession(verified);
    this.#plantSession(await post('/auth/login', { email, password }));
    const made = await post('/account/api-keys', { scopes: ['admin'] }, token);
    const { key } = JSON.parse(made.text) as { key: string };
    this.hunt.plant('API key', key.slice(16), isKeyMaking);
    for (const [exchange, body] of Object.entries(this.stand.credentials)) {
      const target = CREDENTIALS_PATTERN.replace('{exchange}', exchange);
      await this.#send({ method: 'PUT', target, token, body: JSON.stringify(body) });
    }
    return { email, password, token, key };
  }

  #plantSession({ status, text, cookie }: { status: number; text: string; cookie: string }): string {
    if (status !== 200) throw new Error(`a sign-in answered ${status}`);
    const { access_token: token } = JSON.parse(text) as { access_token: string };
    this.hunt.plant('access token', token.split('.')[2] ?? '', isSignIn);
    this.hunt.plant('refresh token', /refresh_token=([^;]+)/.exec(cookie)?.[1] ?? '', isSignIn);
    return token;
  }

  async #mailedToken(email: string): Promise<string> {
    const deadline = Date.now() + MAIL_WAIT_MS;
    for (;;) {
      const token = this.stand.mails.tokenFor(email);
      if (token !== null) return token;
      if (Date.now() > deadline) throw new Error('a mail with a link did not come');
      await delay(50);
    }
  }

  async #send({
    method,
    target,
    pattern,
    token,
    body,
  }: Sent): Promise<{ status: number; text: string; cookie: string }> {
    const answer = await fetch(`${this.stand.url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    const name = `${method} ${pattern ?? target}`;
    this.hunt.note(`${answer.ok ? '2xx' : 'refusal'} of ${name}`, `${JSON.stringify([...answer.headers])} ${text}`);
    if (pattern !== undefined && ![401, 405].includes(answer.status)) this.#reached.add(name);
    return { status: answer.status, text, cookie: answer.headers.get('set-cookie') ?? '' };
  }
}
