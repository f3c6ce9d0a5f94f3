import { Failure } from '../api/failure.js';

const FORBIDDEN = 403;
const NEEDED = 'confirmation_required';

/** Whether a call was refused until its person has confirmed who they are. */
function needsConfirmation(error: unknown): boolean {
  return error instanceof Failure && error.details.reason === NEEDED;
}

type Send = (request: Request) => Promise<Response>;

/** The question whether it is still the person who signed in; calls that wait for it are sent once more after a yes. */
class Confirmation {
  #waiting: ((isConfirmed: boolean) => void)[] = [];
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly isAsked = (): boolean => this.#waiting.length > 0;

  /** Sends calls that way; one that needs a confirmation waits for it, whatever page made it. */
  through(send: Send): Send {
    return async (request) => {
      const repeat = request.clone();
      const answer = await send(request);
      if (answer.status !== FORBIDDEN || !(await isRefused(answer))) return answer;
      return (await this.#ask()) ? send(repeat) : answer;
    };
  }

  /** Ends the question; without a yes the calls are answered as they were refused. */
  settle(isConfirmed: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answer of waiting) answer(isConfirmed);
    this.#tell();
  }

  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#tell();
    });
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

async function isRefused(answer: Response): Promise<boolean> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  return needsConfirmation(Failure.of(body, answer));
}

export const confirmation = new Confirmation();
