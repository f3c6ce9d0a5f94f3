import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Drain } from '../platform/http/drain.js';

/** Header by which a balancer says that it repeats a read at another instance if the connection breaks (deploy/nginx.conf). */
const REPEATED = 'x-repeats-reads';

/**
 * While the service shuts down every answer asks the client to connect anew. A read that the balancer repeats elsewhere
 * is cut: that tells it to send nothing more here, before there is a write that finds the port closed.
 */
export function setUpDrain(app: INestApplication): RequestHandler {
  const drain = app.get(Drain);
  return (request, response, next) => {
    if (!drain.started) {
      next();
      return;
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && request.headers[REPEATED] === '1') {
      request.socket.destroy();
      return;
    }
    response.setHeader('Connection', 'close');
    next();
  };
}
