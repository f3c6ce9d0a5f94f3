import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Loopback } from '../support/loopback.js';

/**
 * The address of a database that others move, as a virtual address or a name does: a port of loopback that leads to the socket of
 * one server. Connections stay where they began.
 */
export class Forwarder {
  private constructor(
    private readonly loopback: Loopback,
    private readonly target: { socket: string },
  ) {}

  /** Leads to the server whose socket lies in that directory. */
  static async to(socket: string): Promise<Forwarder> {
    const target = { socket };
    const server: Server = createServer((client) => {
      const upstream = connect(join(target.socket, '.s.PGSQL.5432'));
      passOn(client, upstream);
      passOn(upstream, client);
    });
    return new Forwarder(await Loopback.start(server), target);
  }

  /** For DATABASE_URL. */
  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.loopback.port}/postgres`;
  }

  /** New connections go to another server from now on. */
  leadTo(socket: string): void {
    this.target.socket = socket;
  }

  close(): Promise<void> {
    return this.loopback.close();
  }
}

/** Passes on what one side sends, and ends the other with it. */
function passOn(from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => to.write(chunk));
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
