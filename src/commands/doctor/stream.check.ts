import type { BookStream } from '../../exchanges/feeds.contract.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { type Connect, webSockets } from '../../platform/upstream/web-socket.js';
import { reasonOf } from './failure.js';
import { fail, type Finding, inTime, ok, STEP_LIMIT_MS } from './finding.js';

const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** Whether the public stream of an exchange can be opened from here, with the operator's key where it needs one (contract.md 8.1). */
export async function checkStream({ feeds }: Exchange, connect: Connect = webSockets(STEP_LIMIT_MS)): Promise<Finding> {
  const stream = feeds?.stream ?? null;
  if (stream === null) return ok('Its books are polled: there is no stream of it, or no key for it is set.');
  const { host } = new URL(stream.url);
  try {
    return judge(host, await inTime(openOnce(stream, connect)));
  } catch (error) {
    return judge(host, reasonOf(error));
  }
}

/** Returns null where it opened, else the HTTP status of the refusal, 0 where there was no answer. */
async function openOnce(stream: BookStream, connect: Connect): Promise<number | null> {
  const headers = await stream.headers();
  return new Promise((resolve) => {
    const wire = connect(stream.url, headers, {
      opened: () => {
        wire.end();
        resolve(null);
      },
      frame: () => undefined,
      alive: () => undefined,
      closed: (code) => {
        resolve(code >= 400 && code < 600 ? code : 0);
      },
    });
  });
}

function judge(host: string, failure: number | string | null): Finding {
  if (failure === null) return ok(`Its stream opens (${host}).`);
  if (typeof failure === 'number' && REFUSED.has(failure)) {
    return fail(
      `Its stream refuses this service (${host}: status ${failure}).`,
      'Look at the key for the stream in the settings, and whether the exchange takes calls from here.',
    );
  }
  const reason = typeof failure === 'string' ? failure : failure === 0 ? 'no connection' : `status ${failure}`;
  return fail(
    `Its stream cannot be opened (${host}: ${reason}).`,
    'Look at the way out of this machine for WebSockets.',
  );
}
