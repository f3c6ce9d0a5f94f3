import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { Drain } from './drain.js';

/** While the service shuts down every answer asks the client to connect anew. */
export function setUpDrain(app: INestApplication): RequestHandler {
  const drain = app.get(Drain);
  return (_request, response, next) => {
    if (drain.started) response.setHeader('Connection', 'close');
    next();
  };
}
