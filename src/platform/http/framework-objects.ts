import { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express } from 'express';

/** The classes that a server of node:http makes its requests and responses of. */
export interface FrameworkObjects {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Requests and responses that are those of an Express application from the start. Express would change the prototype of each,
 * after which every access to it is slower: an order book costs 11 % more CPU then (2026-11-26, docs/performance.md).
 */
export function objectsOf(app: Express): FrameworkObjects {
  class FrameworkRequest extends IncomingMessage {}
  class FrameworkResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(FrameworkRequest.prototype, express.request);
  Object.setPrototypeOf(FrameworkResponse.prototype, express.response);
  app.request = Object.assign(FrameworkRequest.prototype, { app }) as unknown as Express['request'];
  app.response = Object.assign(FrameworkResponse.prototype, { app }) as unknown as Express['response'];
  return { IncomingMessage: FrameworkRequest, ServerResponse: FrameworkResponse };
}
