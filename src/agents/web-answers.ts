import { once } from 'node:events';
import type { Request as NodeRequest, Response as NodeResponse } from 'express';

/** Headers of the protocol, which its handler looks at. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const;

/** A request as the web has it, without body and credential: its signal is that its client has gone. */
export function asWebRequest(request: NodeRequest, response: NodeResponse): Request {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal: gone.signal });
}

/** Writes an answer as it comes: one JSON text, or a stream of events. */
export async function writeAnswer(answer: Response, response: NodeResponse): Promise<void> {
  response.status(answer.status);
  const type = answer.headers.get('content-type');
  if (type !== null) response.setHeader('Content-Type', type);
  response.setHeader('X-Accel-Buffering', 'no');
  if (answer.body !== null) {
    const reader = answer.body.getReader();
    response.once('close', () => {
      reader.cancel().catch(() => undefined);
    });
    for (let part = await reader.read(); !part.done && !response.closed; part = await reader.read())
      if (!response.write(part.value)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
