import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isNativeError } from 'node:util/types';
import { startChecksum } from '../../platform/secrets/checksum.js';
import {
  BackupDamagedError,
  type BackupEnd,
  type BackupHeader,
  type BackupTable,
  parseEnd,
  parseHeader,
  parseTable,
} from './backup.wire.js';

/** Line behind the rows of a table: COPY writes every backslash of a value twice. */
export const END_OF_ROWS = '\\.';
const NEWLINE = 10;
/** A row holds at most what a request body may hold, several times over. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Lines of a packed file with their line breaks; throws BackupDamagedError where it does not unpack. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => undefined);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        yield bytes.subarray(from, at + 1);
        from = at + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > MAX_LINE_BYTES) throw new BackupDamagedError('a line of it has no end');
    }
  } catch (error) {
    throw error instanceof BackupDamagedError ? error : unreadable(error);
  }
  if (rest.length > 0) throw new BackupDamagedError('it is cut off');
}

function unreadable(error: unknown): Error {
  const code = isNativeError(error) && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_')) return new BackupDamagedError('it is cut off, damaged, or no backup');
  return isNativeError(error) ? error : new Error(String(error));
}

/** A backup, read from its first line to its last, without keeping it in memory. */
export class BackupReader {
  readonly #lines: AsyncGenerator<Buffer>;

  private constructor(
    readonly header: BackupHeader,
    lines: AsyncGenerator<Buffer>,
  ) {
    this.#lines = lines;
  }

  /** Reads the first line. */
  static async open(path: string): Promise<BackupReader> {
    const lines = linesOf(path);
    const first = await lines.next();
    if (first.done === true) throw new BackupDamagedError('it is empty');
    return new BackupReader(parseHeader(first.value.toString('utf8')), lines);
  }

  /** The next table, whose rows must be read before the next call; the end behind the last one. */
  async next(): Promise<BackupTable | BackupEnd> {
    const line = (await this.#line()).toString('utf8');
    return line.startsWith('{"table"') ? parseTable(line) : parseEnd(line);
  }

  /** The rows of the table, as COPY takes them, in chunks. */
  async *rows(): AsyncGenerator<Buffer> {
    let [chunk, size]: [Buffer[], number] = [[], 0];
    for (let line = await this.#line(); !isEndOfRows(line); line = await this.#line()) {
      chunk.push(line);
      size += line.length;
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(chunk);
      [chunk, size] = [[], 0];
    }
    if (size > 0) yield Buffer.concat(chunk);
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }

  async #line(): Promise<Buffer> {
    const line = await this.#lines.next();
    if (line.done === true) throw new BackupDamagedError('it is cut off');
    return line.value;
  }
}

function isEndOfRows(line: Buffer): boolean {
  return line.length === END_OF_ROWS.length + 1 && line.toString('latin1') === `${END_OF_ROWS}\n`;
}

/** Reads all of a backup and throws BackupDamagedError where one byte of it is another than when it was made. */
export async function verifyBackup(path: string): Promise<BackupHeader> {
  const sum = startChecksum();
  let [header, last]: [BackupHeader | undefined, Buffer | undefined] = [undefined, undefined];
  for await (const line of linesOf(path)) {
    header ??= parseHeader(line.toString('utf8'));
    if (last !== undefined) sum.update(last);
    last = line;
  }
  if (header === undefined || last === undefined) throw new BackupDamagedError('it is empty');
  if (parseEnd(last.toString('utf8')).sha256 !== sum.digest('hex')) {
    throw new BackupDamagedError('its checksum is not that of its content');
  }
  return header;
}
