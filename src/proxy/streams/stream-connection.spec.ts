import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../platform/errors/app-error.js';
import type { StreamSink } from './channel.contract.js';
import { StreamConnection } from './stream-connection.js';

describe('S-60 a stream whose reading of the database has become too old', () => {
  let server: Server;
  let reader: IncomingMessage;
  let sink: StreamSink;
  let response: ServerResponse;
  let ended: string | null;

  afterEach(async () => {
    reader.destroy();
    while (ended === null) await new Promise((resolve) => setTimeout(resolve, 1));
    server.closeAllConnections();
    server.close();
  });

  /** A stream of one line. */
  const begin = async (): Promise<StreamConnection> => {
    ended = null;
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answered = new Promise<IncomingMessage>((resolve) => get({ port, host: '127.0.0.1', agent: false }, resolve));
    const [, answer] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    response = answer;
    const health = { isConnected: true, lastFrameMs: null, live: 0, stale: 0 };
    const line = {
      credentialsVersion: null,
      position: null,
      health,
      begin: (to: StreamSink) => {
        sink = to;
      },
      close: () => undefined,
    };
    const principal = { kind: 'session', userId: 'u', sessionId: 's' } as never;
    const stream = new StreamConnection(
      response,
      {
        caller: { principal, name: 's', address: '127.0.0.1', needs: [] },
        lines: [line],
        id: () => null,
        errorText: ({ code }) => code,
        noteBytes: () => undefined,
        noteConflation: () => undefined,
        closed: (error) => {
          ended = error?.code ?? 'left';
        },
      },
      { refusal: null, until: Infinity, hasCredentials: false },
    );
    stream.start();
    reader = await answered;
    reader.on('error', () => undefined).resume();
    return stream;
  };
  const away = (): AppError => new AppError('service_unavailable', 'away');
  const lapse = (stream: StreamConnection): void => {
    stream.apply({ refusal: null, until: 0, hasCredentials: false });
  };

  it('waits where the socket has taken all', async () => {
    const stream = await begin();
    while (response.writableLength > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    lapse(stream);
    sink.tell('{"held":1}');
    stream.tick(away);
    expect([ended, response.writableLength, response.destroyed]).toEqual([null, 0, false]);
  });

  it('is reset where the socket has not, as that cannot be held back', async () => {
    const stream = await begin();
    response.socket?.cork();
    sink.tell('{"told":1}');
    stream.tick(away);
    expect(ended).toBeNull();
    lapse(stream);
    stream.tick(away);
    expect([ended, response.destroyed]).toEqual(['service_unavailable', true]);
  });
});
