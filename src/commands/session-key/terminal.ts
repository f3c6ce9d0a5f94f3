import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailure } from './failure.js';

/** The streams of a process, or of a test. */
export interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** What other programs read. */
  readonly output: NodeJS.WritableStream;
  /** What a person reads. */
  readonly notes: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Who runs the command: is told what happens, and asked. */
export class Terminal {
  constructor(private readonly streams: Streams) {}

  /** Whether there is somebody to ask, who sees what is asked. */
  get isInteractive(): boolean {
    return this.streams.input.isTTY === true && this.streams.notes.isTTY === true;
  }

  /** A result. */
  print(line: string): void {
    this.streams.output.write(`${line}\n`);
  }

  /** What happens meanwhile. */
  note(line: string): void {
    this.streams.notes.write(`${line}\n`);
  }

  /** Returns what is typed without showing it. */
  async askHidden(what: string): Promise<string> {
    const hidden = new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    });
    this.streams.notes.write(`${what} (not shown): `);
    try {
      return (await this.#ask('', hidden)).trim();
    } finally {
      this.streams.notes.write('\n');
    }
  }

  async confirm(question: string): Promise<boolean> {
    return /^y(?:es)?$/i.test((await this.#ask(`${question} Type yes: `, this.streams.notes)).trim());
  }

  #ask(question: string, echo: NodeJS.WritableStream): Promise<string> {
    const reader = createInterface({ input: this.streams.input, output: echo, terminal: true, historySize: 0 });
    return new Promise((resolve, reject) => {
      reader.once('SIGINT', () => {
        reader.close();
      });
      reader.once('close', () => {
        reject(new CommandFailure('Stopped. Nothing was signed or sent.'));
      });
      reader.question(question, (line) => {
        resolve(line);
        reader.close();
      });
    });
  }
}
