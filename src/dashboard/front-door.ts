import type { RequestHandler } from 'express';

const READ = new Set(['GET', 'HEAD']);

/** Leads a browser from `/`, and from `/dashboard/`, to the dashboard; everybody else finds nothing at `/` (contract.md 9). */
export const frontDoor: RequestHandler = (request, response, next) => {
  const isBrowser = request.path === '/' && request.headers.accept?.includes('text/html') === true;
  const leads = READ.has(request.method) && (isBrowser || request.path === '/dashboard/');
  if (leads) response.redirect('/dashboard');
  else next();
};
