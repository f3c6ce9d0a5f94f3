import { setTimeout as delay } from 'node:timers/promises';
import { get, logIn, type SignedIn } from '../support/calls.js';
import { sql } from '../support/rows.js';
import { anApiKey, aUser } from '../support/users.js';
import type { Place } from './outcome.js';

/** Between one call of an impostor and its next. */
const PAUSE_MS = 40;

interface Impostor {
  readonly name: string;
  readonly call: () => PromiseLike<{ readonly status: number }>;
}

/** Callers whom the service knew once and must never let in again, whatever fails: no outage opens a door. */
export class Impostors {
  #isOver = false;
  #running: Promise<unknown> | undefined;
  /** Who was answered with which status. */
  readonly #answers = new Set<string>();

  private constructor(private readonly impostors: readonly Impostor[]) {}

  /** Makes them, each of whom was let in before. */
  static async make(app: Place): Promise<Impostors> {
    const [revoked, disabled, left] = (await Promise.all([aUser(app), aUser(app), aUser(app)])) as [
      SignedIn,
      SignedIn,
      SignedIn,
    ];
    const [revokedKey, disabledKey] = await Promise.all([anApiKey(app, revoked), anApiKey(app, disabled)]);
    for (const key of [revokedKey, disabledKey]) await get(app, '/me', key);
    await sql(app, 'UPDATE api_keys SET revoked_at = now() WHERE user_id = $1', [revoked.id]);
    await sql(app, 'UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id]);
    await sql(app, 'UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [left.id]);
    return new Impostors([
      { name: 'a revoked key', call: () => get(app, '/me', revokedKey) },
      { name: 'the key of a disabled user', call: () => get(app, '/me', disabledKey) },
      { name: 'the session of a disabled user', call: () => get(app, '/account/profile', disabled.token) },
      { name: 'an ended session', call: () => get(app, '/account/profile', left.token) },
      { name: 'a disabled user', call: () => logIn(app, disabled.email) },
      { name: 'a wrong password', call: () => logIn(app, left.email, 'not the password at all') },
    ]);
  }

  /** Lets all of them try again and again until `stop`. */
  start(): void {
    this.#isOver = false;
    this.#running = Promise.all(this.impostors.map((impostor) => this.#try(impostor)));
  }

  /** Those who were let in, and those who were not answered at all, since `start`. */
  async stop(): Promise<{ readonly letIn: readonly string[]; readonly unanswered: readonly string[] }> {
    this.#isOver = true;
    await this.#running;
    const answers = [...this.#answers];
    this.#answers.clear();
    return {
      letIn: answers.filter((one) => / 2\d\d$/.test(one)),
      unanswered: this.impostors.flatMap(({ name }) => (answers.some((one) => one.startsWith(name)) ? [] : [name])),
    };
  }

  async #try({ name, call }: Impostor): Promise<void> {
    while (!this.#isOver) {
      const { status } = await call();
      const told = `${name} ${String(status)}`;
      this.#answers.add(told);
      await delay(PAUSE_MS);
    }
  }
}
