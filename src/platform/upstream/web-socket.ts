import { WebSocket } from 'ws';

/** A longer frame ends the connection. */
const LONGEST_FRAME = 4 * 1024 * 1024;

/** A connection that was begun. */
export interface Wire {
  send(frame: string): void;
  /** Ends it at once; nothing is heard of it any more. */
  end(): void;
}

/** What is heard of a connection. */
export interface WireEvents {
  opened(): void;
  frame(text: string): void;
  /** A frame without content: the other side is there. */
  alive(): void;
  /** It has ended, by the code and reason of RFC 6455 7.1; of a handshake that was refused by the HTTP status. */
  closed(code: number, reason: string): void;
}

/** Begins a connection. */
export type Connect = (url: string, headers: Readonly<Record<string, string>>, events: WireEvents) => Wire;

/**
 * Returns what begins WebSockets (RFC 6455) whose handshake takes `handshakeMs` at most: without compression, redirects and frames of
 * more than 4 MiB (feeds.md 1). Nothing that is sent or heard is logged.
 */
export function webSockets(handshakeMs: number): Connect {
  return (url, headers, events) => {
    const socket = new WebSocket(url, {
      headers,
      handshakeTimeout: handshakeMs,
      maxPayload: LONGEST_FRAME,
      perMessageDeflate: false,
      followRedirects: false,
    });
    let hasEnded = false;
    const end = (code: number, reason: string): void => {
      if (hasEnded) return;
      hasEnded = true;
      events.closed(code, reason);
    };
    socket.on('open', () => {
      events.opened();
    });
    socket.on('message', (data) => {
      if (!hasEnded) events.frame(textOf(data));
    });
    socket.on('ping', () => {
      events.alive();
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      end(response.statusCode ?? 0, '');
    });
    // What failed is said by the end that follows.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      end(code, reason.toString('utf8'));
    });
    return {
      send: (frame) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(frame);
      },
      end: () => {
        hasEnded = true;
        socket.terminate();
      },
    };
  };
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
