import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Begins a request that waited. */
type Begin = () => void;

interface Waiting {
  readonly request: IncomingMessage;
  readonly begin: Begin;
}

/** The requests of one kind: one begins in a turn, the others wait in the order of their arrival. */
class Line {
  readonly #waiting: Waiting[] = [];
  #hasBegun = false;

  /** Whether a request that arrives may begin in this turn. */
  get isOpen(): boolean {
    return !this.#hasBegun && this.#waiting.length === 0;
  }

  begin(begin: Begin): void {
    this.#hasBegun = true;
    begin();
  }

  wait(entry: Waiting): void {
    this.#waiting.push(entry);
  }

  /** Whoever may begin in the turn that begins; null where nobody waits. A client that has gone takes no turn. */
  next(): Waiting | null {
    this.#hasBegun = false;
    for (;;) {
      const first = this.#waiting.shift();
      if (first === undefined) return null;
      if (!first.request.destroyed) return first;
    }
  }
}

/**
 * Lets one read and one other request begin in each turn of the event loop. What has begun goes on at every turn; so a crowd
 * makes no turn long, what has begun is soon done, and a few calls of the other kind wait for turns and not for the crowd.
 */
export class RequestTurns {
  readonly #reads = new Line();
  readonly #others = new Line();
  /** Connections of which a request waits. */
  readonly #connections = new WeakSet<Socket>();
  #isScheduled = false;

  /** Calls `begin` once, now or in a later turn; not where the client leaves before. */
  enter(request: IncomingMessage, begin: Begin): void {
    const line = request.method === 'GET' || request.method === 'HEAD' ? this.#reads : this.#others;
    this.#schedule();
    if (line.isOpen) line.begin(begin);
    // Whoever sends more before the first is answered is held back by Node alone, and fills no line.
    else if (this.#connections.has(request.socket)) begin();
    else {
      this.#connections.add(request.socket);
      line.wait({ request, begin });
    }
  }

  /** After all that a turn has read from sockets; each in an immediate of its own, behind which its promises are run. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#beginNext(this.#others);
    });
    setImmediate(() => {
      this.#beginNext(this.#reads);
    });
  }

  #beginNext(line: Line): void {
    const next = line.next();
    if (next === null) return;
    this.#connections.delete(next.request.socket);
    this.#schedule();
    line.begin(next.begin);
  }
}
