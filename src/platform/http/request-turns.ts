import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Begins a request that waited. */
type Begin = () => void;

interface Waiting {
  readonly request: IncomingMessage;
  /** Null once it has begun. */
  begin: Begin | null;
}

/** The requests of one kind: one begins in a turn, the others wait in the order of their arrival. */
class Line {
  readonly #waiting: Waiting[] = [];
  #hasBegun = false;

  constructor(private readonly connections: WeakMap<Socket, Waiting>) {}

  /** Whether a request that arrives may begin in this turn. */
  get isOpen(): boolean {
    return !this.#hasBegun && this.#waiting.length === 0;
  }

  begin(begin: Begin): void {
    this.#hasBegun = true;
    begin();
  }

  wait(entry: Waiting): void {
    this.connections.set(entry.request.socket, entry);
    this.#waiting.push(entry);
  }

  /** What may begin in the turn that begins; null where nobody waits. A client that has gone takes no turn. */
  next(): Begin | null {
    this.#hasBegun = false;
    for (;;) {
      const first = this.#waiting.shift();
      if (first === undefined) return null;
      this.connections.delete(first.request.socket);
      if (first.begin !== null && !first.request.destroyed) return first.begin;
    }
  }
}

/**
 * Lets one read and one other request begin in each turn of the event loop. What has begun goes on at every turn; so a crowd
 * makes no turn long, what has begun is soon done, and a few calls of the other kind wait for turns and not for the crowd.
 */
export class RequestTurns {
  /** What stands in a line for a connection: one request at most. */
  readonly #connections = new WeakMap<Socket, Waiting>();
  readonly #reads = new Line(this.#connections);
  readonly #others = new Line(this.#connections);
  #isScheduled = false;

  /** Calls `begin` once, now or in a later turn; not where the client leaves before. */
  enter(request: IncomingMessage, begin: Begin): void {
    const line = request.method === 'GET' || request.method === 'HEAD' ? this.#reads : this.#others;
    const before = this.#connections.get(request.socket);
    this.#schedule();
    if (before !== undefined) this.#beginBoth(before, begin);
    else if (line.isOpen) line.begin(begin);
    else line.wait({ request, begin });
  }

  /** Whoever sends more before the first is answered is held back by Node alone, and fills no line; the first stays the first. */
  #beginBoth(before: Waiting, begin: Begin): void {
    const first = before.begin;
    before.begin = null;
    first?.();
    begin();
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
    const begin = line.next();
    if (begin === null) return;
    this.#schedule();
    line.begin(begin);
  }
}
