import { WebSocket } from 'ws';
import { isBeyondBounds } from '../json/json-bounds.js';
import { COUNTED_BYTES, FRAME_BOUNDS } from './upstream.constants.js';

/** A longer frame ends the connection. */
const LONGEST_FRAME = 4 * 1024 * 1024;
/** "Message too big" (RFC 6455 7.4.1). */
const TOO_BIG = 1009;

const OPTIONS = {
  maxPayload: LONGEST_FRAME,
  perMessageDeflate: false,
  followRedirects: false,
  allowSynchronousEvents: false,
};

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
  /** It has ended, by the code and reason of RFC 6455 7.1, 1009 for a frame too long or too full; of a refused handshake by the HTTP status. */
  closed(code: number, reason: string): void;
}

/** Begins a connection. */
export type Connect = (url: string, headers: Readonly<Record<string, string>>, events: WireEvents) => Wire;

/**
 * Returns what begins WebSockets (RFC 6455) whose handshake takes `handshakeMs` at most: without compression, redirects and frames of
 * more than 4 MiB or `FRAME_BOUNDS` (feeds.md 3). Frames that come together are heard one a turn of the event loop, so that many do not
 * hold it. Nothing that is sent or heard is logged.
 */
export function webSockets(handshakeMs: number): Connect {
  return (url, headers, events) => {
    const socket = new WebSocket(url, { ...OPTIONS, headers, handshakeTimeout: handshakeMs });
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
      if (hasEnded) return;
      const text = textOf(data);
      if (text !== null) {
        events.frame(text);
        return;
      }
      socket.terminate();
      end(TOO_BIG, '');
    });
    socket.on('ping', () => {
      events.alive();
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      end(response.statusCode ?? 0, '');
    });
    // What else failed is said by the end that follows.
    socket.on('error', (error) => {
      if (isTooLong(error)) end(TOO_BIG, '');
    });
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

/** Null for a frame that holds more than any that is read. */
function textOf(data: Buffer | ArrayBuffer | Buffer[]): string | null {
  const bytes = bytesOf(data);
  return bytes.length > COUNTED_BYTES && isBeyondBounds(bytes, FRAME_BOUNDS) ? null : bytes.toString('utf8');
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function isTooLong(error: Error): boolean {
  return 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
}
