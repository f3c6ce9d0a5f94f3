import type { ServerResponse } from 'node:http';
import type { Metrics } from '../platform/metrics/metrics.js';

/** Answers a scrape. Node.js leaves the body away where the request is a HEAD. */
export async function answerScrape(metrics: Metrics, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await metrics.text());
  response.writeHead(200, { 'Content-Type': metrics.contentType, 'Content-Length': body.length });
  response.end(body);
}
