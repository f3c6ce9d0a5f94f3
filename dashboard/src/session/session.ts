import { apiThrough, publicApi, type Schemas, take } from '../api/client.js';
import { Failure } from '../api/failure.js';
import { confirmation } from './confirmation.js';
import { silence } from '../service.js';

type SignedIn = Schemas['SignedInDto'];

/** `unknown` until the cookie has been tried. */
export type SessionState =
  | { readonly phase: 'unknown' }
  | { readonly phase: 'out'; readonly hasEnded: boolean }
  | { readonly phase: 'in'; readonly user: Schemas['UserDto'] };

/** What tabs tell each other; it stays in their memory. */
type TabMessage =
  | { readonly kind: 'in'; readonly signedIn: SignedIn }
  /** Whose session has ended. */
  | { readonly kind: 'out'; readonly person: string | null };

const NAME = 'trading-proxy-session';
/** How long a tab that waited for another one's refresh waits for its result, in milliseconds. */
const HAND_OVER_MS = 250;
const UNAUTHORIZED = 401;
/** The longest call answers within 70 s, in milliseconds. */
const LIMIT_MS = 100_000;

/**
 * The session of this browser: its access token, in memory alone, which other tabs of the same origin are handed; the refresh
 * token is in a cookie that no script reads. Parallel calls and all tabs share one refresh: the tabs by a lock, and whoever has
 * waited takes over what the one before him got.
 */
class Session {
  #token: string | null = null;
  #state: SessionState = { phase: 'unknown' };
  #running: Promise<boolean> | null = null;
  /** How often somebody has entered or left here. */
  #changes = 0;
  readonly #listeners = new Set<() => void>();
  readonly #tabs = new BroadcastChannel(NAME);

  constructor() {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
      if (data.kind === 'in') this.#enter(data.signedIn);
      else this.#leaveOf(data.person);
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Takes over a session that has just begun. */
  begin(signedIn: SignedIn): void {
    this.#enter(signedIn);
    this.#tell({ kind: 'in', signedIn });
  }

  /** Finds out whether the cookie is good for a session. Throws Failure where the service could not answer. */
  async find(): Promise<SessionState> {
    if (this.#state.phase === 'unknown') await this.#refresh(null);
    return this.#state;
  }

  /**
   * Sends a request with the access token; one that has run out is renewed once. `end` ends an answer that goes on; any other is
   * given up after `LIMIT_MS`.
   */
  readonly send = async (request: Request, end?: AbortSignal): Promise<Response> => {
    const repeat = request.clone();
    const used = this.#token;
    const person = this.person();
    const answer = await this.#sendWith(request, used, end);
    if (answer.status !== UNAUTHORIZED || !(await saysUnauthorized(answer))) return answer;
    // What one person asked is not repeated for another.
    if (!(await this.#refresh(used)) || this.person() !== person) return answer;
    const second = await this.#sendWith(repeat, this.#token, end);
    // What a fresh token does not cure, nothing here can: the sign-in can.
    const isRefused = second.status === UNAUTHORIZED && (await saysUnauthorized(second));
    if (isRefused && this.person() === person) this.#leave(true);
    return second;
  };

  /** Ends the session here, at the service and in all tabs. Throws Failure where the service could not answer. */
  async signOut(): Promise<void> {
    const person = this.person();
    await take(api.POST('/auth/logout')).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'unauthorized') throw error;
    });
    this.forget(person);
  }

  /** The session of a person has ended at the service: so it does in all tabs. Whoever has signed in meanwhile stays. */
  forget(person = this.person()): void {
    this.#leaveOf(person);
    this.#tell({ kind: 'out', person });
  }

  /** Id of whoever is signed in; null for nobody. */
  person(): string | null {
    return this.#state.phase === 'in' ? this.#state.user.id : null;
  }

  #sendWith(request: Request, token: string | null, end?: AbortSignal): Promise<Response> {
    if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
    return silence.over(fetch(request, { signal: end ?? AbortSignal.timeout(LIMIT_MS) }));
  }

  /** Whether there is a token now that is not the stale one. */
  #refresh(stale: string | null): Promise<boolean> {
    this.#running ??= this.#refreshInTurn(stale).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #refreshInTurn(stale: string | null): Promise<boolean> {
    if (this.#isNewer(stale)) return true;
    const isAlone = await navigator.locks.request(NAME, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await this.#ask();
      return lock !== null;
    });
    if (isAlone) return this.#token !== null;
    return navigator.locks.request(NAME, async () => {
      await this.#handOver(stale);
      if (!this.#isNewer(stale)) await this.#ask();
      return this.#token !== null;
    });
  }

  #isNewer(stale: string | null): boolean {
    return this.#token !== null && this.#token !== stale;
  }

  /** Waits a moment for what the tab before got. */
  #handOver(stale: string | null): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(done, HAND_OVER_MS);
      const stop = this.subscribe(() => {
        if (this.#isNewer(stale)) done();
      });
      if (this.#isNewer(stale)) done();
    });
  }

  async #ask(): Promise<void> {
    // Whoever enters or leaves while the answer is on its way knows better: a late answer speaks of the session before.
    const changes = this.#changes;
    try {
      const signedIn = await take(publicApi.POST('/auth/refresh'));
      if (changes === this.#changes) this.begin(signedIn);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unauthorized') throw error;
      if (changes !== this.#changes) return;
      const { phase } = this.#state;
      this.#leave(phase === 'in' || (phase === 'out' && this.#state.hasEnded));
    }
  }

  #enter({ access_token: token, user }: SignedIn): void {
    this.#token = token;
    this.#change({ phase: 'in', user });
  }

  #leaveOf(person: string | null): void {
    if (this.person() === null || this.person() === person) this.#leave(false);
  }

  #leave(hasEnded: boolean): void {
    this.#token = null;
    this.#change({ phase: 'out', hasEnded });
  }

  #change(state: SessionState): void {
    this.#changes += 1;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  #tell(message: TabMessage): void {
    this.#tabs.postMessage(message);
  }
}

/** A 401 may also speak of a password in the body. */
async function saysUnauthorized(answer: Response): Promise<boolean> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  return Failure.of(body, answer).code === 'unauthorized';
}

export const session = new Session();

/** The API as the person who is signed in sees it. */
export const api = apiThrough(confirmation.through((request) => session.send(request)));
