import { byId, nothing, type Asked, type Caller } from './caller.js';

/** What a signed-in person manages: for clients with a `token`. */
export type Account = ReturnType<typeof accountOf>;

/** What makes or changes something here is sent once; halts are repeated. A key is shown once. */
export function accountOf(caller: Caller) {
  return {
    bots: {
      create: caller.body('createBot'),
      list: caller.method('listBots', nothing),
      get: caller.method('getBot', byId),
      change: caller.method('changeBot', (id: string, body: Asked<'changeBot'>) => ({ ids: [id], body })),
      remove: caller.method('removeBot', byId),
      rotate: caller.method('rotateBotKey', (id: string, body?: Asked<'rotateBotKey'>) => ({ ids: [id], body })),
      halt: caller.method('haltBot', (id: string) => ({ ids: [id], proof: 'bot_id' })),
      haltAll: caller.method('haltBots', () => ({ proof: 'bots' })),
      resume: caller.method('resumeBot', byId),
    },
    apiKeys: {
      create: caller.body('createApiKey'),
      list: caller.method('listApiKeys', nothing),
      revoke: caller.method('revokeApiKey', byId),
    },
    orders: { list: caller.pages('listAccountOrders') },
    activity: { list: caller.pages('listActivity') },
    equity: { get: caller.query('getEquity'), set: caller.body('setHourlyEquity') },
  };
}
