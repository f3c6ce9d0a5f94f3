import { createServer } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import type { Settings } from '../config/settings.js';

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
} as const;
const MAX_CONNECTIONS = 10_000;

/** Express with the limits of rules.md 1 and without the headers that name it (R-18, S-42, S-44). */
export class LimitedExpressAdapter extends ExpressAdapter {
  constructor(settings: Settings) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.set('trust proxy', settings.trustProxy ?? false);
    super(app);
  }

  override initHttpServer(): void {
    this.httpServer = createServer(LIMITS, this.getInstance());
    this.httpServer.maxConnections = MAX_CONNECTIONS;
    // Node would answer 417 itself, without our body and headers; strictRequests refuses what is expected.
    this.httpServer.on('checkExpectation', this.getInstance());
  }
}
