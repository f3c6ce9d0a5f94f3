import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AppError } from '../../src/platform/errors/app-error.js';
import { OrderedTexts } from '../../src/proxy/streams/ordered-texts.js';
import { type StreamOwner, StreamWriter } from '../../src/proxy/streams/stream-writer.js';

/** A stream that may write when it is let. */
class Stream implements StreamOwner {
  mayWrite = false;
  position = 0;
  conflations = 0;
  ended: AppError | null = null;

  get id(): string {
    return String(this.position);
  }

  wrote(): void {
    // Bytes are not counted here.
  }

  conflated(): void {
    this.conflations += 1;
  }

  end(error: AppError): void {
    this.ended = error;
  }
}

/** The writer cuts the connection at the end. */
function ignored(): void {
  // It is meant.
}

describe('contract.md 5.14 what is owed at a start', () => {
  const stream = new Stream();
  let close = (): Promise<void> => Promise.resolve();

  afterEach(() => close());

  /** A writer to a real socket, and what its reader is told. */
  async function writing(): Promise<{ writer: StreamWriter; told: () => Promise<string[]> }> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = new Promise<ServerResponse>((resolve) =>
      server.once('request', (_, response) => {
        resolve(response);
      }),
    );
    const heard = new Promise<IncomingMessage>((resolve) => {
      get({ port, host: '127.0.0.1' }, resolve).on('error', ignored);
    });
    const writer = new StreamWriter(await answer, stream);
    writer.start();
    const message = await heard;
    let text = '';
    message
      .setEncoding('utf8')
      .on('data', (part: string) => (text += part))
      .on('error', ignored);
    close = () =>
      new Promise((resolve) => {
        writer.cut();
        server.close(() => {
          resolve();
        });
      });
    const told = async (): Promise<string[]> => {
      while (!text.includes('the end')) await new Promise((resolve) => setTimeout(resolve, 5));
      return text.split('\n\n').slice(1, -1);
    };
    return { writer, told };
  }

  it('goes before what comes meanwhile, and each id says what was written before it', async () => {
    const { writer, told } = await writing();
    const texts = new OrderedTexts(writer, true);
    const count = (): void => {
      stream.position += 1;
    };
    for (let at = 1; at <= 50; at += 1) texts.owe(() => `${at}`, count);
    texts.tell('51', count);
    writer.tell('queued by another line');
    expect(stream.position).toBe(0);
    stream.mayWrite = true;
    writer.pump();
    texts.tell('52', count);
    writer.tell('the end');
    const blocks = await told();
    const numbers = blocks.flatMap((block) => /data: (\d+)$/.exec(block)?.[1] ?? []);
    expect(numbers).toEqual(Array.from({ length: 52 }, (_, at) => String(at + 1)));
    for (const block of blocks) {
      const [, id, number] = /^id: (\d+)\ndata: (\d+)$/.exec(block) ?? [];
      expect(id).toBe(number);
    }
    expect(blocks.filter((block) => block.startsWith('id: '))).toHaveLength(4);
    expect([stream.conflations, stream.ended]).toEqual([0, null]);
  });

  it('is no queue, but what waits behind it is one', async () => {
    stream.mayWrite = false;
    const { writer } = await writing();
    const texts = new OrderedTexts(writer, false);
    const long = 'x'.repeat(100_000);
    for (let at = 0; at < 10; at += 1) texts.owe(() => long);
    texts.tell(long);
    texts.tell(long);
    expect(stream.ended).toBeNull();
    texts.tell(long);
    expect(stream.ended).toMatchObject({ code: 'slow_consumer' });
  });

  it('makes no text before the reader takes it, and none of what is replaced meanwhile', async () => {
    stream.mayWrite = false;
    stream.ended = null;
    const { writer, told } = await writing();
    const texts = new OrderedTexts(writer, false);
    const made: string[] = [];
    const owe = (text: string): void => {
      texts.owe(() => {
        made.push(text);
        return text;
      });
    };
    for (let at = 0; at < 10; at += 1) owe('old');
    texts.tell('old too');
    texts.forget();
    owe('new');
    expect(made).toEqual([]);
    stream.mayWrite = true;
    writer.pump();
    writer.tell('the end');
    expect([await told(), made]).toEqual([['data: new', 'data: the end'], ['new']]);
  });
});
