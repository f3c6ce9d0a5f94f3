import { type UpstreamClient, UpstreamError } from '../platform/upstream/upstream-client.js';
import type { UpstreamErrors } from './upstream-errors.js';

/**
 * Makes sure before a signed call that the exchange's time is known: where it is not, or in doubt, reads the public `path`, whose answer
 * says it (contract.md 5); as urgently as a cancel, since one may wait for it. Throws what `errors` makes of a failing read.
 */
export async function synchroniseClock(upstream: UpstreamClient, path: string, errors: UpstreamErrors): Promise<void> {
  try {
    await upstream.clock.synchronise(() =>
      upstream.request({ method: 'GET', path, shared: true, fresh: true, priority: 'cancel' }),
    );
  } catch (error) {
    throw error instanceof UpstreamError ? errors.ofCall(error, 'public') : error;
  }
}
