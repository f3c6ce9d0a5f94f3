import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/**
 * One kept connection that sends one request after another and reads as little of the answers as it must: the status, and where
 * the body ends. `onAnswer(status, error)` is called once for each request: with the status, or with null and the kind of the
 * failure. A broken connection is opened again with the next request.
 */
export class Connection {
  #port;
  #onAnswer;
  #socket = null;
  #begun = NOTHING;
  /** Bytes of the body that are still to come; -1 where chunks end it, null where no answer is awaited beyond the head. */
  #left = null;
  #status = 0;
  #tail = NOTHING;
  #closes = false;
  /** Status line and headers of the last answer. */
  head = '';
  /** Whether a request waits for its answer. */
  busy = false;

  constructor(port, onAnswer) {
    this.#port = port;
    this.#onAnswer = onAnswer;
  }

  /** Sends the bytes of one request; only where not `busy`. */
  send(bytes) {
    this.busy = true;
    this.#socket ??= this.#open();
    this.#socket.write(bytes, 'latin1');
  }

  close() {
    this.busy = false;
    this.#socket?.destroy();
    this.#socket = null;
  }

  #open() {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#broken(socket, error.code ?? 'error'));
    socket.on('close', () => this.#broken(socket, 'closed'));
    this.#begun = NOTHING;
    this.#left = null;
    return socket;
  }

  #broken(socket, kind) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    if (this.busy) this.#answer(null, kind);
  }

  #answer(status, error) {
    this.busy = false;
    if (this.#closes && error === undefined) {
      this.#socket.destroy();
      this.#socket = null;
    }
    this.#onAnswer(status, error);
  }

  #read(chunk) {
    if (this.#left === null) this.#readHead(chunk);
    else this.#readBody(chunk);
  }

  #readHead(chunk) {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      this.#begun = bytes;
      return;
    }
    this.#begun = NOTHING;
    this.head = bytes.latin1Slice(0, end);
    const head = this.head.toLowerCase();
    this.#status = Number(head.slice(9, 12));
    this.#closes = head.includes('\r\nconnection: close');
    const at = head.indexOf('\r\ncontent-length:');
    this.#left =
      at === -1 ? (head.includes('\r\ntransfer-encoding: chunked') ? -1 : 0) : parseInt(head.slice(at + 17), 10);
    this.#tail = NOTHING;
    this.#readBody(bytes.subarray(end + HEAD_END.length));
  }

  #readBody(bytes) {
    if (this.#left === -1) this.#readChunks(bytes);
    else this.#left -= bytes.length;
    if (this.#left > 0 || this.#left === -1) return;
    const isLonger = this.#left < 0;
    this.#left = null;
    this.#answer(isLonger ? null : this.#status, isLonger ? 'too long' : undefined);
  }

  /** JSON has no raw line break, so what ends with an empty chunk is over. */
  #readChunks(bytes) {
    this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-LAST_CHUNK.length);
    if (this.#tail.equals(LAST_CHUNK)) this.#left = 0;
  }
}
