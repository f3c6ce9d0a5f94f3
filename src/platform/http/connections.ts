import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { networksAround } from '../limits/client-network.js';
import { ConnectionHolder } from './connection-holder.js';

/** How many connections one process has, and who may have the last of them. */
export interface ConnectionLimits {
  readonly most: number;
  /** Kept for networks that hold fewer than `few`. */
  readonly kept: number;
  readonly few: number;
}

/** A connection: whose it is, how many requests are being answered, and which of them has a body that has not been read. */
interface Open {
  readonly client: ConnectionHolder;
  requests: number;
  unread: IncomingMessage | null;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Shares out connections between networks: a network that holds many makes room for one that holds few. Where
 * all connections are taken, the network that holds most loses the connection that is idle longest, or one whose
 * request has not arrived whole. Where it has no such connection, the new one is closed. Networks are compared from
 * wide to narrow: a /32, in it a /48, a /56 and a /64 (IPv4: /8, /16, /24, an address).
 */
export class Connections {
  readonly #all = new ConnectionHolder();
  readonly #open = new Map<Socket, Open>();

  constructor(private readonly limits: ConnectionLimits) {}

  watch(server: Server): void {
    // At this limit Node itself closes the newest connection, whichever network holds the others.
    server.maxConnections = this.limits.most + this.limits.kept;
    server.on('connection', (socket) => {
      this.#add(socket);
    });
  }

  /** A request has come on a connection; returns what is to be called once it is answered. */
  begin(request: IncomingMessage): () => void {
    const { socket } = request;
    const open = this.#open.get(socket);
    if (open === undefined) return () => undefined;
    open.requests += 1;
    if (hasBody(request)) {
      open.unread = request;
      request.once('end', () => {
        if (open.unread === request) open.unread = null;
        this.#sort(socket, open);
      });
    }
    this.#sort(socket, open);
    return () => {
      open.requests -= 1;
      if (open.unread === request) open.unread = null;
      this.#sort(socket, open);
    };
  }

  #add(socket: Socket): void {
    const path = this.#pathOf(socket.remoteAddress ?? '');
    const client = path.at(-1) ?? this.#all;
    if (!this.#hasRoom(path) && !this.#makeRoom(path)) {
      socket.destroy();
      return;
    }
    this.#count(client, 1);
    const open = { client, requests: 0, unread: null };
    this.#open.set(socket, open);
    this.#sort(socket, open);
    socket.once('close', () => {
      this.#remove(socket);
    });
  }

  /** The networks of an address, wide to narrow. */
  #pathOf(address: string): readonly ConnectionHolder[] {
    let around = this.#all;
    return networksAround(address)
      .toReversed()
      .map((network) => (around = around.part(network)));
  }

  #remove(socket: Socket): void {
    const open = this.#open.get(socket);
    if (open === undefined) return;
    this.#open.delete(socket);
    this.#sort(socket, open);
    this.#count(open.client, -1);
  }

  /** Changes the counts. Connections of a client that holds many are left out of `few` in all of its networks. */
  #count(client: ConnectionHolder, change: 1 | -1): void {
    const count = client.count + change;
    client.add(change, (count < this.limits.few ? count : 0) - client.few);
  }

  /** Adds a connection to those that may be closed, or removes it from them. */
  #sort(socket: Socket, { client, requests, unread }: Open): void {
    const { idle, unfinished } = client;
    const before = idle.size + unfinished.size;
    const isOpen = this.#open.has(socket);
    if (!isOpen || requests > 0) idle.delete(socket);
    else idle.add(socket);
    if (!isOpen || requests !== 1 || unread === null) unfinished.delete(socket);
    else unfinished.set(socket, unread);
    const closable = idle.size + unfinished.size - before;
    if (closable !== 0) client.addClosable(closable);
  }

  /**
   * Whether there is room; a client that holds few may also take what is kept back. The widest network is left out,
   * since it is too wide to hold only few.
   */
  #hasRoom(path: readonly ConnectionHolder[]): boolean {
    const { most, kept, few } = this.limits;
    const client = path.at(-1);
    const holdsFew = (client?.count ?? 0) < few && path.slice(1).every((network) => network.few < few);
    return this.#open.size < (holdsFew ? most : most - kept);
  }

  /**
   * Closes a connection of the network that holds most, if that holds more than the newcomer's network; else one of the
   * newcomer's own. Returns false where there is none to close.
   */
  #makeRoom(path: readonly ConnectionHolder[]): boolean {
    let around = this.#all;
    for (const own of path) {
      const largest = around.largest();
      if (largest !== undefined && largest.count > own.count) return this.#close(this.#largestIn(largest).closable());
      around = own;
    }
    const [longest] = around.idle;
    return this.#close(longest);
  }

  #largestIn(network: ConnectionHolder): ConnectionHolder {
    const largest = network.largest();
    return largest === undefined ? network : this.#largestIn(largest);
  }

  #close(socket: Socket | undefined): boolean {
    if (socket === undefined) return false;
    this.#remove(socket);
    socket.destroy();
    return true;
  }
}
