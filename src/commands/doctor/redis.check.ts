import type { RedisClientType } from 'redis';
import { isLoopback } from '../../platform/config/loopback.js';
import type { Settings } from '../../platform/config/settings.js';
import { plain, reasonOf } from './failure.js';
import { fail, type Finding, inTime, ok, warn } from './finding.js';

const CONNECT_MS = 2_000;
/** Slower answers count as none (contract.md 2). */
const SLOW_MS = 500;

interface Answer {
  readonly version: string;
  readonly tookMs: number;
}

async function ask(client: RedisClientType): Promise<Answer> {
  await client.connect();
  const startedAt = performance.now();
  const info: unknown = await client.sendCommand(['INFO', 'server']);
  const [, version = 'of an unknown version'] = /^redis_version:(\S{1,40})\r?$/m.exec(String(info)) ?? [];
  return { version: plain(version), tookMs: performance.now() - startedAt };
}

async function connect(url: string): Promise<Answer> {
  const { createClient } = await import('redis');
  const options = { url, socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false } } as const;
  const client = createClient(options) as RedisClientType;
  client.on('error', () => undefined);
  try {
    return await inTime(ask(client));
  } finally {
    client.destroy();
  }
}

/** Whether request rates are shared over instances (contract.md 2). */
export async function checkRedis({ redisUrl }: Settings): Promise<Finding> {
  if (redisUrl === undefined) return ok('REDIS_URL is not set: each process counts request rates for itself.');
  let answer: Answer;
  try {
    answer = await connect(redisUrl.reveal());
  } catch (error) {
    return fail(
      `Redis cannot be used: ${reasonOf(error)}.`,
      'Look whether it runs and REDIS_URL is right; until then each process counts request rates for itself.',
    );
  }
  const { protocol, hostname } = new URL(redisUrl.reveal());
  const name = `Redis ${answer.version}`;
  if (answer.tookMs > SLOW_MS) {
    return warn(`${name} takes ${Math.round(answer.tookMs)} ms to answer: it is not used above 500 ms.`);
  }
  if (protocol === 'redis:' && !isLoopback(hostname)) {
    return warn(
      `${name} answers, but the way to it is not encrypted.`,
      'Use rediss: in REDIS_URL where strangers share the network.',
    );
  }
  return ok(`${name} answers.`);
}
