import { once } from 'node:events';
import { createServer, IncomingMessage, request as httpRequest, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { RequestTurns } from './request-turns.js';

function requestOf(method: string, socket = new Socket()): IncomingMessage {
  return Object.assign(new IncomingMessage(socket), { method });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Enters so many requests of their own connections; each writes its name down when it begins. */
function crowd(turns: RequestTurns, begun: string[], method: string, count: number): IncomingMessage[] {
  return Array.from({ length: count }, (_, at) => {
    const request = requestOf(method);
    turns.enter(request, () => begun.push(`${method} ${at}`));
    return request;
  });
}

describe('RequestTurns (R-27)', () => {
  it('begins what comes alone at once, in each turn again', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    for (const method of ['GET', 'POST', 'GET', 'DELETE']) {
      turns.enter(requestOf(method), () => begun.push(method));
      if (method === 'POST') await turn();
    }
    expect(begun).toEqual(['GET', 'POST', 'GET', 'DELETE']);
  });

  it('begins one read and one other in a turn, each kind in its order', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    for (const method of ['GET', 'POST']) crowd(turns, begun, method, 4);
    expect(begun.splice(0)).toEqual(['GET 0', 'POST 0']);
    for (const at of [1, 2, 3]) {
      await turn();
      expect(begun.splice(0)).toEqual([`POST ${at}`, `GET ${at}`]);
    }
    await turn();
    expect(begun).toEqual([]);
  });

  it('lets nobody wait for a crowd of the other kind, nor overtake his own', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    crowd(turns, begun, 'POST', 1_000);
    await turn();
    turns.enter(requestOf('HEAD'), () => begun.push('read'));
    turns.enter(requestOf('DELETE'), () => begun.push('late'));
    expect(begun).toEqual(['POST 0', 'POST 1', 'read']);
    for (let turnsLeft = 999; turnsLeft > 0; turnsLeft--) await turn();
    expect(begun.slice(-2)).toEqual(['POST 999', 'late']);
    expect(begun).toHaveLength(1_002);
  });

  it('lets eight look at the answer lane in a turn, and one that finds nothing there waits for its turn', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    const look = (name: string, found: boolean): void => {
      const request = requestOf('GET');
      turns.look(request, () => {
        begun.push(name);
        if (!found) turns.enter(request, () => begun.push(`${name} begins`));
      });
    };
    for (let at = 0; at < 20; at += 1) look(`look ${at}`, at !== 3 && at !== 4);
    turns.enter(requestOf('POST'), () => begun.push('POST'));
    expect([begun.length, begun.slice(3, 6), begun.at(-1)]).toEqual([
      10,
      ['look 3', 'look 3 begins', 'look 4'],
      'POST',
    ]);
    await turn();
    expect(begun.splice(0).slice(10)).toEqual([
      'look 4 begins',
      ...[8, 9, 10, 11, 12, 13, 14, 15].map((at) => `look ${at}`),
    ]);
    await turn();
    expect(begun).toEqual([16, 17, 18, 19].map((at) => `look ${at}`));
  });

  it('begins four of a kind in a turn where nothing else is said', async () => {
    const turns = new RequestTurns();
    const begun: string[] = [];
    for (const method of ['GET', 'POST']) crowd(turns, begun, method, 6);
    expect(begun).toHaveLength(8);
    await turn();
    expect(begun.slice(8)).toEqual(['POST 4', 'POST 5', 'GET 4', 'GET 5']);
  });

  it('lets promises of one request run before the next begins', async () => {
    const turns = new RequestTurns(1);
    const seen: string[] = [];
    const work = (name: string) => () => {
      seen.push(name);
      void Promise.resolve().then(() => seen.push(`${name} went on`));
    };
    for (const method of ['GET', 'POST', 'GET', 'POST']) turns.enter(requestOf(method), work(method));
    await turn();
    expect(seen.slice(-4)).toEqual(['POST', 'POST went on', 'GET', 'GET went on']);
  });

  it('begins nothing for a client that has gone, whose turn is that of the next', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    crowd(turns, begun, 'GET', 4)
      .slice(1, 3)
      .forEach((request) => request.destroy());
    await turn();
    expect(begun).toEqual(['GET 0', 'GET 3']);
  });

  it('begins what a connection sends ahead at once, behind what it sent before, so that nobody fills a line', async () => {
    const turns = new RequestTurns(1);
    const begun: string[] = [];
    crowd(turns, begun, 'POST', 2);
    const socket = new Socket();
    const send = (method: string, name: string): void => {
      turns.enter(requestOf(method, socket), () => begun.push(name));
    };
    send('DELETE', 'first');
    for (const name of ['second', 'third']) send('GET', name);
    expect(begun.splice(0)).toEqual(['POST 0', 'first', 'second', 'third']);
    await turn();
    await turn();
    crowd(turns, begun, 'POST', 1);
    send('DELETE', 'waits again');
    expect(begun.splice(0)).toEqual(['POST 1', 'POST 0']);
    await turn();
    expect(begun).toEqual(['waits again']);
  });
});

describe('RequestTurns in front of a server', () => {
  const turns = new RequestTurns(1);
  let server: Server;

  async function listen(answer: RequestListener): Promise<number> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function post(port: number, body: string): Promise<string> {
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', agent: false }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return (await answer.setEncoding('utf8').toArray()).join('');
  }

  it('loses no byte of a body that waits', async () => {
    const port = await listen((request, response) => {
      turns.enter(request, () => request.pipe(response));
    });
    const bodies = Array.from({ length: 20 }, (_, at) => `${at} `.repeat(10_000));
    expect(await Promise.all(bodies.map((body) => post(port, body)))).toEqual(bodies);
  });

  it('begins nothing for a connection that is closed while its request waits', async () => {
    const begun: string[] = [];
    let closed: Promise<unknown> | undefined;
    const port = await listen((request) => {
      crowd(turns, begun, 'POST', 50);
      turns.enter(request, () => begun.push('of a client that has gone'));
      closed = once(request.socket, 'close');
      outgoing.destroy();
    });
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', agent: false }).end('body');
    await once(outgoing, 'error');
    for (let turnsLeft = 100; turnsLeft > 0; turnsLeft--) await turn();
    await closed;
    expect(begun).toHaveLength(50);
    expect(begun.at(-1)).toBe('POST 49');
  });
});
