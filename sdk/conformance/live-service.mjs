import { randomUUID } from 'node:crypto';
import { request as send } from 'node:http';

/**
 * The real service behind the cases of `live/*.json`: every request goes to it with its own key. CONFORMANCE_LIVE is JSON,
 * `{ "url", "key", "control_url" }`: its address, an API key of it, and the control address of its sandbox exchanges.
 */
const SERVICE = process.env.CONFORMANCE_LIVE === undefined ? null : JSON.parse(process.env.CONFORMANCE_LIVE);
/** The id that a case writes for that of the order which was made last. */
const LAST_ORDER = 'LAST_ORDER';

export const isLive = SERVICE !== null;
let lastOrder = LAST_ORDER;

/** A case as it is played: with keys that nobody has used, and with its faults armed. */
export async function prepared(played) {
  lastOrder = LAST_ORDER;
  const text = JSON.stringify(played).replaceAll('$unique', randomUUID());
  await fetch(`${SERVICE.control_url}/faults`, { method: 'DELETE' });
  for (const fault of played.faults ?? []) {
    const headers = { 'content-type': 'application/json' };
    const armed = await fetch(`${SERVICE.control_url}/faults`, {
      method: 'POST',
      headers,
      body: JSON.stringify(fault),
    });
    if (!armed.ok) throw new Error(`${armed.status}: ${await armed.text()}`);
  }
  return JSON.parse(text);
}

/** Hands a request on, and its answer back as it comes. */
export function passOn(request, body, answer) {
  const text = body === null ? '' : JSON.stringify(body);
  const { host: _host, 'content-length': _length, ...headers } = request.headers;
  const options = {
    method: request.method,
    headers: { ...headers, authorization: `Bearer ${SERVICE.key}`, 'content-length': Buffer.byteLength(text) },
  };
  const onward = send(`${SERVICE.url}${request.url.replace(LAST_ORDER, lastOrder)}`, options, (answered) => {
    answer.writeHead(answered.statusCode, answered.headers);
    let said = '';
    const isOrder = request.method === 'POST' && /\/orders$/.test(request.url);
    answered.on('data', (part) => {
      if (isOrder) said += part;
      answer.write(part);
    });
    answered.on('end', () => {
      if (isOrder && answered.statusCode === 200) lastOrder = JSON.parse(said).id;
      answer.end();
    });
    answered.on('error', () => answer.destroy());
  });
  answer.on('close', () => onward.destroy());
  onward.on('error', () => answer.destroy());
  onward.end(text);
}
