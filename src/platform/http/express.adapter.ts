import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { Settings } from '../config/settings.js';
import { Connections } from './connections.js';
import { objectsOf } from './framework-objects.js';
import { RequestTurns } from './request-turns.js';

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
} as const;
const CONNECTIONS = { most: 10_000, kept: 1_000, few: 100 } as const;
/** Connections that may wait to be accepted: Node accepts one a turn of its loop, and the usual 511 overflow at 1,024 clients. */
const BACKLOG = 4_096;
const HTTP_OK = 200;

/** Answers a GET in front of the framework, or leaves it untouched and calls `otherwise`, at once or later. */
export type Lane = (request: IncomingMessage, response: ServerResponse, otherwise: () => void) => void;

/** Is called with every request as it arrives, before anything is done with it. */
export type Watcher = (request: IncomingMessage, response: ServerResponse) => void;

/** Express with the limits of rules.md 1 and without the headers that name it (R-18, S-42, S-44). */
export class LimitedExpressAdapter extends ExpressAdapter {
  readonly #handlers = new Map<string, RequestHandler>();
  #lane: Lane = (_request, _response, otherwise) => {
    otherwise();
  };
  #watch: Watcher = () => undefined;
  #checks: RequestHandler = (_request, _response, next) => {
    next();
  };
  /** The errors of requests that a check refused; Express hands them to the error filter. */
  readonly #refusals = new WeakMap<IncomingMessage, unknown>();

  constructor({ trustProxy }: Pick<Settings, 'trustProxy'>) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.set('trust proxy', trustProxy ?? false);
    super(app);
    app.use((request, _response, next) => {
      next(this.#refusals.get(request));
    });
  }

  /** Sets the function that is called with every request, also those that the answer lane answers. */
  useWatcher(watcher: Watcher): void {
    this.#watch = watcher;
  }

  /** Sets the answer lane, which sees a request before the framework. */
  useLane(lane: Lane): void {
    this.#lane = lane;
  }

  /**
   * Sets what every request passes, and most end with: in front of Express, which walks through all that is registered with it.
   * What the checks let go on is answered by Express.
   */
  useChecks(checks: RequestHandler): void {
    this.#checks = checks;
  }

  /** As the adapter of Express; a Buffer is sent as the finished text of a JSON answer. */
  override reply(response: Response, body: unknown, statusCode?: number): void {
    if (!Buffer.isBuffer(body)) {
      super.reply(response, body, statusCode);
      return;
    }
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.status(statusCode ?? HTTP_OK).send(body);
  }

  override initHttpServer(): void {
    const objects = objectsOf(this.getInstance<Express>());
    const turns = new RequestTurns();
    const connections = new Connections(CONNECTIONS);
    this.httpServer = createServer({ ...LIMITS, ...objects }, (request, response) => {
      response.on('close', connections.begin(request));
      this.#watch(request, response);
      const enter = (): void => {
        turns.enter(request, () => {
          this.answer(request as Request, response as Response);
        });
      };
      if (request.method !== 'GET') enter();
      else {
        turns.look(request, () => {
          this.#lane(request, response, enter);
        });
      }
    });
    connections.watch(this.httpServer);
    // Node would answer 417 itself, without our body and headers; strictRequests refuses what is expected.
    this.httpServer.on('checkExpectation', (request: Request, response: Response) => {
      this.#watch(request, response);
      this.answer(request, response);
    });
  }

  /** Answers the ordinary way: the checks, with what Express sets first where they or an answer read it, then Express. */
  answer(request: Request, response: Response): void {
    Object.assign(request, { res: response, originalUrl: request.url });
    this.#checks(request, response, (error: unknown) => {
      if (error !== undefined) {
        this.#refusals.set(request, error);
        // Where Express cannot parse the target, it would answer 404 itself.
        request.url = '/';
      }
      this.getInstance<Express>()(request, response);
    });
  }

  override listen(port: string | number, host?: string | (() => void), done?: () => void): Server {
    if (typeof host !== 'string') throw new TypeError('The adapter listens at a host.');
    return this.getHttpServer().listen({ port: Number(port), host, backlog: BACKLOG }, done);
  }

  /** What answers a route, so that a request need not be compared with each in turn; `path` as the route declares it. */
  handlerOf(method: string, path: string): RequestHandler | undefined {
    return this.#handlers.get(`${method} ${path}`);
  }

  override get(path: unknown, handler?: unknown): void {
    this.#add('get', String(path), handler as RequestHandler);
  }

  override post(path: unknown, handler?: unknown): void {
    this.#add('post', String(path), handler as RequestHandler);
  }

  override put(path: unknown, handler?: unknown): void {
    this.#add('put', String(path), handler as RequestHandler);
  }

  override patch(path: unknown, handler?: unknown): void {
    this.#add('patch', String(path), handler as RequestHandler);
  }

  override delete(path: unknown, handler?: unknown): void {
    this.#add('delete', String(path), handler as RequestHandler);
  }

  #add(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, handler: RequestHandler): void {
    this.#handlers.set(`${method.toUpperCase()} ${path}`, handler);
    this.getInstance<Express>()[method](path, handler);
  }
}
