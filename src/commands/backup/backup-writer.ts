import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { isNativeError } from 'node:util/types';
import { startChecksum } from '../../platform/secrets/checksum.js';

/** A file that appears under its name once it is whole; packed, for its owner alone (mode 0600). */
export class BackupWriter {
  readonly #sum = startChecksum();
  readonly #gzip: Gzip = createGzip();
  readonly #written: Promise<void>;
  readonly #unfinished: string;
  readonly #path: string;
  #failure: Error | undefined;

  private constructor(path: string, unfinished: string) {
    this.#path = path;
    this.#unfinished = unfinished;
    this.#written = pipeline(this.#gzip, createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }));
    this.#written.catch((error: unknown) => {
      this.#failure = isNativeError(error) ? error : new Error(String(error));
    });
    this.#gzip.on('error', () => undefined);
  }

  /** Throws where the file is there already, or cannot be made. */
  static async create(path: string): Promise<BackupWriter> {
    const taken = await open(path, 'r').catch(() => undefined);
    await taken?.close();
    if (taken !== undefined) throw new Error(`${path} is there already: choose another name, or remove it.`);
    return new BackupWriter(path, `${path}.unfinished-${process.pid}`);
  }

  /** Adds bytes; waits while the disk is slower. */
  async write(bytes: Buffer | string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#sum.update(bytes);
    if (!this.#gzip.write(bytes)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  /** Adds the last line, has the disk keep all, and gives the file its name. */
  async finish(rows: Readonly<Record<string, number>>): Promise<void> {
    this.#gzip.end(`${JSON.stringify({ sha256: this.#sum.digest('hex'), rows })}\n`);
    await this.#written;
    const file = await open(this.#unfinished, 'r+');
    await file.sync().finally(() => file.close());
    await rename(this.#unfinished, this.#path);
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#unfinished, { force: true });
  }
}
