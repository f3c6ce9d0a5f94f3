import type { Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger as Log } from 'pino';
import type { DocsOptions } from './app.docs.js';
import { accessFacts } from './access/access-facts.js';
import { AnswerLane } from './answers/answer-lane.js';
import { AnswersModule } from './answers/answers.module.js';
import { AppModule } from './app.module.js';
import { setUpApp } from './app.setup.js';
import { Drain } from './platform/http/drain.js';
import { MetricsServer } from './operations/metrics-server.js';
import { RequestMetrics } from './operations/request-metrics.js';
import type { Settings } from './platform/config/settings.js';
import { AnswerLog } from './platform/http/answer-log.js';
import { AccessLog } from './platform/logging/access-log.js';
import { NestLogService } from './platform/logging/nest-log.service.js';
import { LimitedExpressAdapter } from './platform/http/express.adapter.js';

/** How long `ready` says `draining` before the service stops accepting, so that load balancers notice. */
const NOTICE_MS = 500;
/** Longest time, in ms, that the service reads what had arrived before it closes. */
const ARREARS_LIMIT_MS = 1_000;
/** After so many turns of the event loop without anything new, all that had arrived is read. */
const QUIET_TURNS = 3;
const DRAIN_LIMIT_MS = 25_000;
const IDLE_SWEEP_MS = 100;

/** A service that listens. */
export interface RunningService {
  readonly app: NestExpressApplication;
  /** Stops in order: not ready, no new connections, running requests finish within `limitMs`, then the modules end. */
  stop(limitMs?: number): Promise<void>;
}

/**
 * Reads what arrived while the process was busy: connections that wait to be accepted (one a turn of the event loop)
 * and requests on connections that look idle. To close at once would cut these requests, which a balancer sent in good
 * faith.
 */
async function readArrears(server: Server): Promise<void> {
  let quietTurns = 0;
  const hear = (): void => {
    quietTurns = 0;
  };
  server.on('connection', hear).on('request', hear);
  const deadline = performance.now() + ARREARS_LIMIT_MS;
  while (quietTurns++ < QUIET_TURNS && performance.now() < deadline) await nextTurn();
  server.off('connection', hear).off('request', hear);
}

async function stopApp(app: NestExpressApplication, limitMs: number): Promise<void> {
  const server = app.getHttpServer();
  app.get(Drain).start();
  await delay(Math.min(NOTICE_MS, limitMs));
  await readArrears(server);
  const overdue = setTimeout(() => {
    new Logger('Shutdown').warn('requests still ran when the time for draining was over; they were cut');
    server.closeAllConnections();
  }, limitMs);
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, IDLE_SWEEP_MS);
  await app.close();
  clearTimeout(overdue);
  clearInterval(sweep);
}

/** Builds the whole application and listens where the settings say; the same for `npm start`, the demo and tests. */
export async function startService(settings: Settings, log: Log, docs?: DocsOptions): Promise<RunningService> {
  const adapter = new LimitedExpressAdapter(settings);
  const root = AnswersModule.around(AppModule.with(settings));
  const app = await NestFactory.create<NestExpressApplication>(root, adapter, {
    bodyParser: false,
    logger: new NestLogService(log),
    abortOnError: false,
  });
  const access = settings.accessLog ? new AccessLog(log) : null;
  const answers = new AnswerLog(log, access, accessFacts);
  setUpApp(app, adapter, answers, docs);
  if (AnswerLane.isOn(settings)) adapter.useLane(new AnswerLane(app, log, answers).enter);
  adapter.useWatcher(app.get(RequestMetrics).watch);
  try {
    await app.init();
    await app.get(MetricsServer).listen();
    await app.listen(settings.port, settings.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    app,
    stop: async (limitMs = DRAIN_LIMIT_MS) => {
      await stopApp(app, limitMs);
      await access?.close();
    },
  };
}
