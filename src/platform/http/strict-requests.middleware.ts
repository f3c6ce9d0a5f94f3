import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors/app-error.js';

const MAX_URL_BYTES = 4_096;

function hasOneHost({ rawHeaders }: Request): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1;
}

/** Node has answered the one expectation that HTTP knows before we see the request. */
function expectsWhatWeKnow({ headers: { expect } }: Request): boolean {
  return expect === undefined || /^100-continue$/i.test(expect);
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return !path.includes('\0');
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

/**
 * Refuses what only an attacker or a broken proxy sends: two hosts, foreign targets, broken percent codes, expectations
 * that nobody can meet (S-35, S-44).
 */
export function strictRequests(request: Request, response: Response, next: NextFunction): void {
  const target = request.originalUrl;
  const path = target.split('?', 1)[0] ?? '';
  const isGoodTarget = target.startsWith('/') && target.length <= MAX_URL_BYTES && isDecodable(path);
  if (isGoodTarget && hasOneHost(request) && expectsWhatWeKnow(request)) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  next(new AppError('bad_request', 'The request line or its Host or Expect header is not valid.'));
}
