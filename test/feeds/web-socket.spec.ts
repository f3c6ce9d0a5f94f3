import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketServer, type WebSocket } from 'ws';
import { webSockets, type Wire } from '../../src/platform/upstream/web-socket.js';

/** What was heard, and when the next comes. */
class Heard {
  readonly all: string[] = [];
  #next: (() => void) | null = null;

  note(what: string): void {
    this.all.push(what);
    this.#next?.();
  }

  async until(what: string): Promise<void> {
    while (!this.all.some((one) => one.startsWith(what))) await new Promise<void>((resolve) => (this.#next = resolve));
  }
}

describe('feeds.md 3 a connection to an exchange', () => {
  let server: Server;
  let sockets: WebSocketServer;
  let heard: Heard;
  let request: IncomingMessage;
  let theirs: WebSocket;
  let under: Duplex;
  let wire: Wire;

  const begin = (path = '/', handshakeMs = 5_000): void => {
    const { port } = server.address() as AddressInfo;
    wire = webSockets(handshakeMs)(
      `ws://127.0.0.1:${port}${path}`,
      { 'x-signed': 'yes' },
      {
        opened: () => {
          heard.note('opened');
        },
        frame: (text) => {
          heard.note(`frame ${text.slice(0, 20)}`);
        },
        alive: () => {
          heard.note('alive');
        },
        closed: (code, reason) => {
          heard.note(`closed ${code} ${reason}`);
        },
      },
    );
  };

  beforeEach(async () => {
    heard = new Heard();
    server = createServer();
    sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true });
    server.on('upgrade', (arrived, socket, head) => {
      request = arrived;
      under = socket;
      if (arrived.url === '/hang') return;
      if (arrived.url === '/moved') socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n');
      else if (arrived.url === '/full') socket.end('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n');
      else sockets.handleUpgrade(arrived, socket, head, (opened) => (theirs = opened));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    wire.end();
    under.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('sends the header lines of the handshake, offers no compression, and hears text and binary frames', async () => {
    begin();
    await heard.until('opened');
    expect([request.headers['x-signed'], request.headers['sec-websocket-extensions']]).toEqual(['yes', undefined]);
    const answer = once(theirs, 'message');
    wire.send('hello');
    expect(String((await answer)[0])).toBe('hello');
    theirs.send('text');
    theirs.send(Buffer.from('bytes'));
    theirs.ping('heartbeat');
    await heard.until('alive');
    expect(heard.all).toEqual(['opened', 'frame text', 'frame bytes', 'alive']);
  });

  it('says how the other side ended it', async () => {
    begin();
    await heard.until('opened');
    theirs.close(1013, 'slow consumer: send buffer full');
    await heard.until('closed');
    expect(heard.all).toEqual(['opened', 'closed 1013 slow consumer: send buffer full']);
  });

  it('hears nothing more once it was ended', async () => {
    begin();
    await heard.until('opened');
    wire.end();
    await once(theirs, 'close');
    expect(heard.all).toEqual(['opened']);
  });

  it.each([
    ['is longer than 4 MiB', 'x'.repeat(4 * 1024 * 1024 + 1)],
    ['has more entries than any that is read', `[${'0,'.repeat(100_000)}0]`],
  ])('a frame that %s ends it', async (_what, frame) => {
    begin();
    await heard.until('opened');
    theirs.send(frame);
    await heard.until('closed 1009');
    expect(heard.all).toHaveLength(2);
  });

  it.each([
    ['/full', 'closed 429'],
    ['/moved', 'closed 302'],
  ])('a handshake that is refused at %s is told as %s, and no redirect is followed', async (path, told) => {
    begin(path);
    await heard.until(told);
    expect(heard.all).toHaveLength(1);
  });

  it('a handshake that takes too long is over', async () => {
    begin('/hang', 50);
    await heard.until('closed');
    expect(heard.all).toEqual(['closed 1006 ']);
  });
});
