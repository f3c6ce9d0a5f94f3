import type { RequestHandler } from 'express';

const READ = new Set(['GET', 'HEAD']);

/** Leads a browser from `/`, and from `/dashboard/`, to the dashboard; everybody else finds nothing at `/` (contract.md 8). */
export const frontDoor: RequestHandler = (request, response, next) => {
  const isBrowser = request.path === '/' && takesHtml(request.headers.accept ?? '');
  const leads = READ.has(request.method) && (isBrowser || request.path === '/dashboard/');
  if (leads) response.redirect('/dashboard');
  else next();
};

/** Whether an `Accept` line names HTML, in any case of letters, and does not refuse it by a weight of 0 (RFC 9110 12.4.2, 12.5.1). */
function takesHtml(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((part) => part.startsWith('q=') && Number(part.slice(2)) === 0);
  });
}
