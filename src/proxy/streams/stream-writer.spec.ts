import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AppError } from '../../platform/errors/app-error.js';
import { type StreamOwner, StreamWriter } from './stream-writer.js';

/** A message of 8 KiB. */
const message = (at: number): string => JSON.stringify({ at, text: 'x'.repeat(8_192) });

class Owner implements StreamOwner {
  mayWrite = true;
  readonly id = null;
  conflations = 0;
  ended: AppError | null = null;

  wrote(): void {
    // Bytes are counted elsewhere.
  }

  conflated(): void {
    this.conflations += 1;
  }

  end(error: AppError): void {
    this.ended = error;
  }
}

describe('StreamWriter', () => {
  let server: Server;
  let owner: Owner;
  let writer: StreamWriter;
  let reader: IncomingMessage;
  let text: string;

  beforeEach(async () => {
    owner = new Owner();
    text = '';
    const asked = new Promise<ServerResponse>((resolve) => {
      server = createServer((_request, response) => {
        resolve(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answered = new Promise<IncomingMessage>((resolve) => get({ port, host: '127.0.0.1', agent: false }, resolve));
    writer = new StreamWriter(await asked, owner);
    writer.start();
    reader = await answered;
    reader.on('error', () => undefined);
  });

  afterEach(() => {
    reader.destroy();
    server.closeAllConnections();
    server.close();
  });

  const read = (): void => {
    reader.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('ends a reader that takes too little, and tells one that reads on everything', async () => {
    reader.pause();
    for (let at = 0; at < 10_000 && owner.ended === null; at += 1) {
      writer.tell(message(at));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(owner.ended?.code).toBe('slow_consumer');
    writer.finish('{"type":"error"}', null);
    read();
    reader.resume();
    await until(() => text.includes('{"type":"error"}'));
    const numbers = [...text.matchAll(/"at":(\d+),/g)].map(([, at]) => Number(at));
    expect(numbers).toEqual(numbers.map((_, at) => at));
  });

  it('asks for what is owed when the reader takes something, and not before', async () => {
    reader.pause();
    for (let at = 0; at < 10_000 && !writer.isBehind; at += 1) {
      writer.tell(message(at));
      await new Promise((resolve) => setImmediate(resolve));
    }
    let asked = 0;
    const debt = { take: () => [`{"asked":${(asked += 1)}}`] };
    writer.owe(debt);
    writer.owe(debt);
    expect(asked).toBe(0);
    read();
    reader.resume();
    await until(() => text.includes('{"asked":1}'));
    expect([asked, owner.conflations, owner.ended]).toEqual([1, 1, null]);
  });

  it('S-60 hands the socket nothing while its owner does not allow it, and throws that away where it never does', async () => {
    read();
    owner.mayWrite = false;
    writer.tell('{"held":1}');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(text).toBe('retry: 2000\n\n');
    owner.mayWrite = true;
    writer.pump();
    await until(() => text.includes('{"held":1}'));
    owner.mayWrite = false;
    writer.tell('{"held":2}');
    writer.revoke('{"type":"error"}');
    await until(() => reader.closed || reader.destroyed);
    expect([text.includes('{"type":"error"}'), text.includes('{"held":2}')]).toEqual([true, false]);
  });

  it('S-60 resets a reader with a full buffer at once', async () => {
    reader.pause();
    for (let at = 0; at < 10_000 && !writer.isBehind; at += 1) {
      writer.tell(message(at));
      await new Promise((resolve) => setImmediate(resolve));
    }
    writer.revoke('{"type":"error"}');
    read();
    reader.resume();
    await until(() => reader.closed || reader.destroyed);
    expect([text.includes('{"type":"error"}'), reader.complete]).toEqual([false, false]);
  });
});
