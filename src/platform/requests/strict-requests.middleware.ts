import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../errors/app-error.js';

const MAX_URL_BYTES = 4_096;

function hasOneHost(request: Request): boolean {
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length === 1;
}

function isDecodable(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes('\0');
  } catch {
    return false;
  }
}

/** Refuses what only an attacker or a broken proxy sends: two hosts, foreign targets, broken percent codes (S-35, S-44). */
export function strictRequests(request: Request, response: Response, next: NextFunction): void {
  const target = request.originalUrl;
  const path = target.split('?', 1)[0] ?? '';
  if (hasOneHost(request) && target.startsWith('/') && target.length <= MAX_URL_BYTES && isDecodable(path)) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  next(new AppError('bad_request', 'The request line or its Host header is not valid.'));
}
