/** The fields of a body that say how long an order rests, at every exchange (`PlainOrder`). */
interface Resting {
  readonly time_in_force: string;
  readonly expires_at?: string | undefined;
}

function isResting(request: object): request is Resting {
  return 'time_in_force' in request && !('signed_order' in request && request.signed_order !== undefined);
}

/**
 * The request of a bot whose orders must end by themselves: a plain `gtc` order becomes `gtd` (contract.md 5.12). Whole seconds, since
 * exchanges cut the rest.
 */
export function endingAt<Request extends object>(request: Request, at: Date): Request {
  if (!isResting(request) || request.time_in_force !== 'gtc') return request;
  const end = new Date(Math.floor(at.getTime() / 1_000) * 1_000).toISOString();
  const copy: Request = Object.create(Object.getPrototypeOf(request) as object) as Request;
  return Object.assign(copy, request, { time_in_force: 'gtd', expires_at: end });
}
