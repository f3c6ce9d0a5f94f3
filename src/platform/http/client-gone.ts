import type { ServerResponse } from 'node:http';
import { StopSignal } from '../upstream/stop-signal.js';

/** Aborts when the client disconnects before the whole answer was written; after an error, ends what still runs for it. */
export function clientGone(response: ServerResponse): StopSignal {
  const gone = new StopSignal();
  response.once('close', () => {
    if (!response.writableFinished || response.statusCode >= 400) gone.abort();
  });
  // The client may have gone while the guards ran.
  if (response.closed) gone.abort();
  return gone;
}
