import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Begins a request that waited. */
type Begin = () => void;

interface Waiting {
  readonly request: IncomingMessage;
  /** Null once it has begun. */
  begin: Begin | null;
}

/** How many of a kind begin in a turn: with one, the turns themselves cost an order a third more. */
const MOST_BEGUN = 4;
/** How many looks at the answer lane a turn takes: each is a small part of what another request costs. */
const MOST_LOOKS = 8;

/** The requests of one kind: so many begin in a turn, the others wait in the order of their arrival. */
class Line {
  readonly #waiting: Waiting[] = [];
  #begun = 0;

  constructor(
    private readonly connections: WeakMap<Socket, Waiting>,
    private readonly most: number,
  ) {}

  /** Whether a request that arrives may begin in this turn. */
  get isOpen(): boolean {
    return this.#begun < this.most && this.#waiting.length === 0;
  }

  begin(begin: Begin): void {
    this.#begun += 1;
    begin();
  }

  startTurn(): void {
    this.#begun = 0;
  }

  wait(entry: Waiting): void {
    this.connections.set(entry.request.socket, entry);
    this.#waiting.push(entry);
  }

  /** What may begin next in this turn; null where nothing may, or nobody waits. A client that has gone takes no turn. */
  next(): Begin | null {
    while (this.#begun < this.most) {
      const first = this.#waiting.shift();
      if (first === undefined) return null;
      this.connections.delete(first.request.socket);
      if (first.begin !== null && !first.request.destroyed) return first.begin;
    }
    return null;
  }
}

/**
 * Lets a few reads and a few other requests begin in each turn of the event loop, and a few look at the answer lane. What has
 * begun goes on at every turn; so a crowd makes no turn long, what has begun is soon done, and calls of the other kind wait for turns
 * and not for the crowd. Node accepts one connection a turn: after long turns a crowd would wait for that (docs/performance.md).
 */
export class RequestTurns {
  /** The request of a connection that waits in a line: one at most. */
  readonly #connections = new WeakMap<Socket, Waiting>();
  readonly #looks = new Line(this.#connections, MOST_LOOKS);
  readonly #reads: Line;
  readonly #others: Line;
  #isScheduled = false;

  constructor(mostBegun = MOST_BEGUN) {
    this.#reads = new Line(this.#connections, mostBegun);
    this.#others = new Line(this.#connections, mostBegun);
  }

  /**
   * Calls `look` once, now or in a later turn, as `enter` does: it may answer at once, and enters the request where it does not.
   */
  look(request: IncomingMessage, look: Begin): void {
    this.#take(this.#looks, request, look);
  }

  /** Calls `begin` once, now or in a later turn; not where the client leaves before. */
  enter(request: IncomingMessage, begin: Begin): void {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    this.#take(isRead ? this.#reads : this.#others, request, begin);
  }

  #take(line: Line, request: IncomingMessage, begin: Begin): void {
    const before = this.#connections.get(request.socket);
    this.#schedule();
    if (before !== undefined) this.#beginBoth(before, begin);
    else if (line.isOpen) line.begin(begin);
    else line.wait({ request, begin });
  }

  /**
   * Begins the waiting request, then the new one. Node alone holds back what a connection sends before its first request is
   * answered, so the new one fills no line.
   */
  #beginBoth(before: Waiting, begin: Begin): void {
    const first = before.begin;
    before.begin = null;
    first?.();
    begin();
  }

  /** After all that a turn has read from sockets; each kind in an immediate of its own, behind which its promises are run. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startTurn(this.#others);
    });
    setImmediate(() => {
      this.#startTurn(this.#reads);
    });
    setImmediate(() => {
      this.#startTurn(this.#looks);
    });
  }

  #startTurn(line: Line): void {
    line.startTurn();
    for (let begin = line.next(); begin !== null; begin = line.next()) {
      this.#schedule();
      line.begin(begin);
    }
  }
}
