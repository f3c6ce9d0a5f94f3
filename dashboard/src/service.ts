/** What the service says of itself: nothing, that it is the one this page is from, or that it has been upgraded since. */
type Answer = 'none' | 'same' | 'newer';

/** The script that this page began with: its name holds a hash of all that it is made of. */
const OWN_SCRIPT = document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';

/** Asks for the page anew, which needs neither session nor database. */
export async function askService(limitMs: number): Promise<Answer> {
  try {
    const limit = AbortSignal.timeout(limitMs);
    const answer = await fetch('/dashboard', { cache: 'no-store', credentials: 'omit', signal: limit });
    const page = await answer.text();
    if (!answer.ok) return 'none';
    return page.includes(OWN_SCRIPT) ? 'same' : 'newer';
  } catch {
    return 'none';
  }
}

/**
 * Until the service is asked whether it is there at all, and then for its answer; in milliseconds. On a slow line the answer comes
 * between the parts of the page itself.
 */
const PATIENCE_MS = 2_000;
const ANSWER_MS = 3_000;

/** Whether the service is silent: something is waited for, and it does not even say that it is there. */
class Silence {
  #isSilent = false;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): boolean => this.#isSilent;

  /** Looks after something that the service was asked for. */
  async over<T>(asked: Promise<T>): Promise<T> {
    let isOver = false;
    const look = async (): Promise<void> => {
      const answer = isOver ? 'same' : await askService(ANSWER_MS);
      if (isOver) return;
      this.#change(answer === 'none');
      timer = setTimeout(() => void look(), PATIENCE_MS);
    };
    let timer = setTimeout(() => void look(), PATIENCE_MS);
    try {
      return await asked;
    } finally {
      isOver = true;
      clearTimeout(timer);
      this.#change(false);
    }
  }

  #change(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    for (const listener of [...this.#listeners]) listener();
  }
}

export const silence = new Silence();

let isOutdated = false;

/** Whether the service is known to be newer than this page, of which parts may be gone. */
export function isPageOutdated(): boolean {
  return isOutdated;
}

addEventListener('vite:preloadError', () => {
  void askService(ANSWER_MS).then((answer) => {
    isOutdated ||= answer === 'newer';
  });
});
