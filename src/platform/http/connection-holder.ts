import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A network and the connections of all networks in it. Only the narrowest networks, the clients, have sockets in `idle`
 * and `unfinished`.
 */
export class ConnectionHolder {
  /** Connections on which nothing is being answered, the longest idle first. */
  readonly idle = new Set<Socket>();
  /** Connections whose only request has not arrived whole, the oldest first. */
  readonly unfinished = new Map<Socket, IncomingMessage>();
  #count = 0;
  #few = 0;
  #closable = 0;
  readonly #parts = new Map<string, ConnectionHolder>();
  /**
   * The parts with a connection that may be closed, by the number of connections that they hold. For 10,000 connections
   * there are at most 140 such numbers.
   */
  readonly #ranks = new Map<number, Set<ConnectionHolder>>();

  constructor(
    private readonly name = '',
    private readonly around: ConnectionHolder | null = null,
  ) {}

  get count(): number {
    return this.#count;
  }

  /** How many connections in this network belong to clients that hold few each. */
  get few(): number {
    return this.#few;
  }

  /** A network in this one; kept here as long as it holds any. */
  part(name: string): ConnectionHolder {
    return this.#parts.get(name) ?? new ConnectionHolder(name, this);
  }

  /** Adds to the counts of this network and of all around it; `few` of the connections belong to clients that hold few. */
  add(count: number, few: number): void {
    const { around } = this;
    if (around !== null) around.#unrank(this);
    this.#count += count;
    this.#few += few;
    if (around === null) return;
    around.#keep(this);
    around.#rank(this);
    around.add(count, few);
  }

  /** Counts connections that may be closed. */
  addClosable(count: number): void {
    const { around } = this;
    const before = this.#closable;
    this.#closable += count;
    if (around === null) return;
    if (before === 0) around.#rank(this);
    else if (this.#closable === 0) around.#unrank(this);
    around.addClosable(count);
  }

  /** The part that holds most, among the parts with a connection that may be closed. */
  largest(): ConnectionHolder | undefined {
    const [first] = this.#ranks.get(Math.max(...this.#ranks.keys())) ?? [];
    return first;
  }

  /** The longest idle connection, else the oldest one whose request has not arrived whole. */
  closable(): Socket | undefined {
    const [longest] = this.idle;
    if (longest !== undefined) return longest;
    for (const [socket, request] of this.unfinished) if (!request.complete) return socket;
    return undefined;
  }

  #keep(part: ConnectionHolder): void {
    if (part.#count === 0) this.#parts.delete(part.name);
    else this.#parts.set(part.name, part);
  }

  #rank(part: ConnectionHolder): void {
    if (part.#closable === 0) return;
    const rank = this.#ranks.get(part.#count);
    if (rank === undefined) this.#ranks.set(part.#count, new Set([part]));
    else rank.add(part);
  }

  #unrank(part: ConnectionHolder): void {
    const rank = this.#ranks.get(part.#count);
    if (rank?.delete(part) === true && rank.size === 0) this.#ranks.delete(part.#count);
  }
}
