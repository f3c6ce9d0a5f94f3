import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../errors/app-error.js';
import { isBeyondBounds } from '../json/json-bounds.js';

const MAX_BODY_BYTES = 65_536;
const BOUNDS = { levels: 20, members: 256, names: 256, elements: 256, textBytes: MAX_BODY_BYTES };

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return isChunked(request) || (length !== undefined && length !== '0');
}

function isChunked(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined;
}

/** By `Content-Length`; the length of a chunked body is known only as it arrives. */
function isTooLarge(request: Request): boolean {
  return Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** Whatever its parameters, of which one alone means anything to us. */
function isJson(request: Request): boolean {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charsets = parameters.map((parameter) => parameter.trim()).filter((text) => /^charset\s*=/.test(text));
  return type.trim() === 'application/json' && charsets.every((text) => /^charset="?utf-8"?$/.test(text));
}

/** Reports whether a body that does not say its length has any bytes. */
function onFirstByteOrEnd(request: Request, report: (isEmpty: boolean) => void): void {
  const onData = (): void => {
    request.off('end', onEnd);
    report(false);
  };
  const onEnd = (): void => {
    request.off('data', onData);
    report(true);
  };
  request.once('data', onData).once('end', onEnd);
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', `The body may have at most ${MAX_BODY_BYTES / 1_024} KiB.`);
}

function notJson(): AppError {
  return new AppError('unsupported_media_type', 'Send the body as JSON with Content-Type: application/json.');
}

function typeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : '';
}

function translate(error: unknown): unknown {
  const type = typeOf(error);
  if (type === '') return error;
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return notJson();
  return new AppError('bad_request', 'The body is not valid JSON of at most 20 levels, 256 members and 256 elements.');
}

/**
 * Reads a JSON object or array of at most 64 KiB, 20 levels, 256 members and 256 elements; everything else is 400, 413 or 415
 * (contract.md 3, S-20, S-34, S-53).
 */
export function jsonBody(): RequestHandler {
  const parse = express.json({
    limit: MAX_BODY_BYTES,
    inflate: false,
    type: () => true,
    verify: (_request, _response, body) => {
      if (isBeyondBounds(body, BOUNDS)) throw new Error('beyond bounds');
    },
  });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request)) {
      next();
      return;
    }
    if (isTooLarge(request)) {
      next(tooLarge());
      return;
    }
    if (!isJson(request)) {
      if (!isChunked(request)) next(notJson());
      else
        onFirstByteOrEnd(request, (isEmpty) => {
          next(isEmpty ? undefined : notJson());
        });
      return;
    }
    parse(request, response, (error?: unknown) => {
      next(error === undefined ? undefined : translate(error));
    });
  };
}
