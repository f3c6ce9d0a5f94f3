import { once } from 'node:events';
import { type DestinationStream, type Logger, pino } from 'pino';
import { within } from '../time/within.js';
import type { RequestContext } from './current-request.js';
import { outputOf } from './log.js';

/** Lines wait for others at most so long, and until there are so many characters; a write is one that a pipe takes whole. */
const WAIT_MS = 200;
const BATCH_CHARACTERS = 2_048;
const PIPE_CHARACTERS = 4_096;
/** Some 10,000 lines. */
const LONGEST_BACKLOG = 4 * 1_024 * 1_024;
const STDOUT = 1;
/** How long the last write may wait for a reader of standard output. */
const CLOSE_LIMIT_MS = 1_000;

interface Output extends DestinationStream {
  close?(): Promise<void>;
}

/** The fields of a line of the access log, beside the ids. */
export interface Access {
  readonly method: string;
  /** The pattern of the path, never the path: that and its query may hold anything. */
  readonly route: string;
  /** Null where the client went before the answer had gone out. */
  readonly status: number | null;
  /** The announced length of the body. */
  readonly bytes: number;
  readonly duration_ms: number;
  /** Undefined where nobody was recognised. */
  readonly user_id: string | undefined;
  readonly key_prefix: string | undefined;
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly ip: string;
}

/** Where lines go that can wait, and be lost: a log that nobody reads fast enough must not hold up trading. */
function patientOutput(log: Logger): Output {
  const known = outputOf(log);
  if (known !== undefined) return known;
  const out = pino.destination({
    fd: STDOUT,
    sync: false,
    minLength: BATCH_CHARACTERS,
    maxWrite: PIPE_CHARACTERS,
    maxLength: LONGEST_BACKLOG,
    periodicFlush: WAIT_MS,
  });
  let dropped = 0;
  out.on('drop', () => {
    dropped += 1;
  });
  out.on('drain', () => {
    if (dropped > 0) log.warn({ dropped }, 'lines of the access log were dropped: its reader is too slow');
    dropped = 0;
  });
  out.on('error', () => undefined);
  let isOpen = true;
  return {
    write: (line) => {
      if (isOpen) out.write(line);
    },
    close: async () => {
      isOpen = false;
      const closed = once(out, 'close').catch(() => undefined);
      out.end();
      await within(CLOSE_LIMIT_MS, closed, () => undefined);
      out.destroy();
    },
  };
}

function textMember(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":"${text}"`;
}

/**
 * Put together by hand, a quarter of what `JSON.stringify` costs: the texts are ours, and hold nothing that JSON writes
 * otherwise.
 */
function membersOf({ method, route, status, bytes, duration_ms, user_id, key_prefix, ip }: Access): string {
  const caller = `${textMember('user_id', user_id)}${textMember('key_prefix', key_prefix)}`;
  const answer = `"status":${status ?? 'null'},"bytes":${bytes},"duration_ms":${duration_ms}`;
  return `"method":"${method}","route":"${route}",${answer}${caller},"ip":${JSON.stringify(ip)}`;
}

/**
 * Writes one JSON line for each request (`ACCESS_LOG`), at every LOG_LEVEL. A line holds nothing that a client chose, so it needs
 * no redaction; it skips the parts that make other log lines slow. Lines are written in batches. Where 4 MiB of lines wait, new
 * lines are dropped, and their number is logged later (S-40).
 */
export class AccessLog {
  readonly #out: Output;
  #moment = 0;
  #time = '';

  constructor(log: Logger) {
    this.#out = patientOutput(log);
  }

  write({ id, trace }: Pick<RequestContext, 'id' | 'trace'>, access: Access): void {
    const ids = `"request_id":"${id}","trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`;
    this.#out.write(`{"level":"info","time":"${this.#now()}",${ids},${membersOf(access)},"msg":"access"}\n`);
  }

  #now(): string {
    const moment = Date.now();
    if (moment !== this.#moment) {
      this.#moment = moment;
      this.#time = new Date(moment).toISOString();
    }
    return this.#time;
  }

  /** Writes what waits, within a second; lines that come later are dropped. */
  async close(): Promise<void> {
    await this.#out.close?.();
  }
}
