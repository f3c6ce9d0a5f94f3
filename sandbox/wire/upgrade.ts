import { STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';

/** An HTTP answer to a handshake, which ends the connection. */
export function writeRefusal(
  socket: Socket,
  { status, headers }: { status: number; headers: Record<string, string> },
  text: string,
): void {
  const lines = Object.entries({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`);
}
