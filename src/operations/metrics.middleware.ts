import type { INestApplication } from '@nestjs/common';
import type { Request, RequestHandler } from 'express';
import { isLoopback } from '../platform/config/loopback.js';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { answerScrape } from './metrics-answer.js';

export const METRICS_PATH = '/metrics';

const READS = ['GET', 'HEAD'];
/** Headers that proxies add. A request with one of them may come from anybody (RFC 7239, RFC 9110 7.6.3). */
const FORWARDING =
  /^(?:x-forwarded(?:-|$)|(?:forwarded|via|x-real-ip|x-client-ip|x-original-forwarded-for|true-client-ip|cf-connecting-ip)$)/;
const MAPPED_IPV4 = /^::ffff:/i;
const PORT = /:\d{1,5}$/;

/**
 * Whether the very connection comes from this machine, asks for it by a name that no page of the web can make its own address
 * lead to (DNS rebinding), and nobody says that it speaks for another.
 */
function isFromHere({ socket, headers }: Request): boolean {
  const address = (socket.remoteAddress ?? '').replace(MAPPED_IPV4, '');
  const host = (headers.host ?? '').replace(PORT, '');
  return isLoopback(address) && isLoopback(host) && !Object.keys(headers).some((name) => FORWARDING.test(name));
}

/**
 * `GET /metrics` on the main port, for callers of this machine alone and only without METRICS_PORT (contract.md 8). For everybody
 * else there is no such path.
 */
export function setUpMetrics(app: INestApplication): RequestHandler {
  const metrics = app.get(Metrics);
  const isElsewhere = app.get(Settings).metricsPort !== undefined;
  return (request, response, next) => {
    if (request.path !== METRICS_PATH || isElsewhere || !isFromHere(request)) {
      next();
      return;
    }
    if (READS.includes(request.method)) {
      answerScrape(metrics, response).catch(next);
      return;
    }
    response.setHeader('Allow', READS.join(', '));
    next(new AppError('method_not_allowed', `This address answers ${READS.join(', ')} only.`));
  };
}
