import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Connections } from './connections.js';

const LIMITS = { most: 20, kept: 5, few: 3 };
const CROWD = '127.0.0.2';
/** Each in a /16 of its own. */
const elsewhere = (index: number): string => `127.${index}.0.1`;
const UNFINISHED = 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{';
const ASKED = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('Connections (R-18)', () => {
  let server: Server;
  let port: number;
  let sockets: Socket[];
  /** Answers that wait. */
  let held: ServerResponse[];

  beforeEach(async () => {
    [sockets, held] = [[], []];
    const connections = new Connections(LIMITS);
    server = createServer((request, response) => {
      response.on('close', connections.begin(request));
      request.resume();
      if (request.url === '/slow') held.push(response);
      else response.end('ok');
    });
    connections.watch(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** Whether a new connection is answered, or its request at least begun. */
  async function enter(localAddress: string, text = ASKED): Promise<boolean> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    const before = held.length;
    const answered = new Promise<boolean>((resolve) => {
      socket
        .once('data', () => {
          resolve(true);
        })
        .on('error', () => undefined)
        .on('close', () => {
          resolve(false);
        });
    });
    socket.write(text);
    if (text === ASKED) return answered;
    const begun = async (): Promise<boolean> => {
      while (held.length === before && !socket.destroyed) await delay(5);
      return held.length > before;
    };
    return Promise.race([answered, begun()]);
  }

  async function enterMany(count: number, localAddress: string, text = ASKED): Promise<number> {
    let entered = 0;
    for (let index = 0; index < count; index += 1) entered += (await enter(localAddress, text)) ? 1 : 0;
    return entered;
  }

  const openOf = (address: string): number =>
    sockets.filter((socket) => socket.localAddress === address && !socket.destroyed).length;

  it('R-18 leaves the last places to those who hold few, and the crowd goes on with its newest', async () => {
    expect(await enterMany(40, CROWD)).toBe(40);
    await delay(50);
    expect(openOf(CROWD)).toBe(LIMITS.most - LIMITS.kept);
    expect(sockets.slice(0, 25).every(({ destroyed }) => destroyed)).toBe(true);
    for (const index of [3, 4, 5]) expect(await enterMany(2, elsewhere(index))).toBe(2);
    await delay(50);
    expect([openOf(CROWD), openOf(elsewhere(3))]).toEqual([LIMITS.most - 6, 2]);
  });

  it('R-18 closes nothing that is being answered, and the newest where nothing is idle', async () => {
    const slow = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
    expect(await enterMany(20, CROWD, slow)).toBe(LIMITS.most - LIMITS.kept);
    expect(await enterMany(2, '127.0.0.3')).toBe(2);
    for (const response of held.splice(0)) response.end('late');
    await delay(50);
    expect(await enterMany(5, CROWD)).toBe(5);
  });

  it('R-18 takes nothing from those who hold no more', async () => {
    for (const index of [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) expect(await enterMany(2, elsewhere(index))).toBe(2);
    expect(await enterMany(6, CROWD)).toBe(6);
    await delay(50);
    expect([openOf(CROWD), sockets.filter(({ destroyed }) => !destroyed).length]).toEqual([2, LIMITS.most]);
  });

  it('R-18 keeps the last places from many networks of one /24 that hold few each', async () => {
    for (let client = 10; client < 25; client += 1)
      await enterMany(2, `127.0.1.${client}`, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await delay(50);
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBe(LIMITS.most - LIMITS.kept);
    expect(await enterMany(2, elsewhere(3))).toBe(2);
  });

  it('R-18 lets a neighbour in among networks that hold all by requests that never come whole', async () => {
    for (let client = 10; client < 20; client += 1) await enterMany(2, `127.0.1.${client}`, UNFINISHED);
    for (let client = 10; client < 20; client += 1) await enterMany(2, elsewhere(client), UNFINISHED);
    await delay(50);
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBe(LIMITS.most);
    for (const address of ['127.0.1.3', elsewhere(3)]) expect(await enterMany(1, address)).toBe(1);
  });

  it('R-18 closes nobody whose request has come whole, and no unfinished one for who holds as many', async () => {
    const whole = 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
    expect(await enterMany(15, CROWD, whole)).toBe(15);
    await delay(50);
    expect(await enterMany(1, CROWD)).toBe(0);
    expect(openOf(CROWD)).toBe(15);
    for (const index of [3, 4, 5, 6, 7]) expect(await enterMany(1, elsewhere(index), UNFINISHED)).toBe(1);
    expect(await enterMany(1, elsewhere(3), UNFINISHED)).toBe(0);
    expect([3, 4, 5, 6, 7].map((index) => openOf(elsewhere(index)))).toEqual([1, 1, 1, 1, 1]);
  });
});
