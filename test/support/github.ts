import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CLIENT_ID, CLIENT_SECRET, closeServer, listen } from './google.js';

/** Who somebody is at the stand-in. */
export interface GitHubPerson {
  readonly id: number;
  readonly login: string;
  readonly name?: string | null;
  readonly emails: readonly { email: string; primary: boolean; verified: unknown }[];
}

export type Fault = 'redirect' | 'status_500' | 'hang' | 'huge' | 'html' | 'broken_json' | 'empty';

/** A server on loopback that speaks GitHub's OAuth API. */
export interface TestGitHub {
  readonly url: string;
  readonly requests: string[];
  code(person: GitHubPerson, bound: { verifier: string; redirectUri: string }): string;
  /** How the next request to a path goes wrong. */
  failNext(path: string, fault: Fault): void;
  close(): Promise<void>;
}

interface Bound {
  readonly person: GitHubPerson;
  readonly challenge: string;
  readonly redirectUri: string;
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

const FAULTS: Readonly<Record<Fault, (response: ServerResponse) => void>> = {
  redirect: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  status_500: (response) => {
    sendJson(response, { message: 'canary-of-the-provider' }, 500);
  },
  hang: () => undefined,
  huge: (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(10_000_000)}"`),
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>canary-of-the-provider</p>'),
  broken_json: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":'),
  empty: (response) => {
    sendJson(response, {});
  },
};

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

export async function startGitHub(): Promise<TestGitHub> {
  const codes = new Map<string, Bound>();
  const tokens = new Map<string, GitHubPerson>();
  const faults = new Map<string, Fault>();
  const requests: string[] = [];

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = await formOf(request);
    const bound = codes.get(form.get('code') ?? '');
    const ours = form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
    if (!ours) {
      sendJson(response, { error: 'incorrect_client_credentials' });
      return;
    }
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (bound?.challenge !== challenge || bound.redirectUri !== form.get('redirect_uri')) {
      sendJson(response, { error: 'bad_verification_code', error_description: 'canary-of-the-provider' });
      return;
    }
    codes.delete(form.get('code') ?? '');
    const token = `gho_${tokens.size}_canary`;
    tokens.set(token, bound.person);
    sendJson(response, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    requests.push(`${request.method ?? ''} ${path}`);
    const fault = faults.get(path);
    faults.delete(path);
    const person = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (fault !== undefined) FAULTS[fault](response);
    else if (path === '/login/oauth/access_token') await exchange(request, response);
    else if (person === undefined) sendJson(response, { message: 'Bad credentials' }, 401);
    else if (path === '/user') sendJson(response, { avatar_url: 'https://x.y/a.png', name: null, ...person });
    else sendJson(response, person.emails);
  };

  const server = createServer((request, response) => void answer(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    requests,
    code: (person, { verifier, redirectUri }) => {
      const code = `code-${codes.size}-${person.login}`;
      codes.set(code, { person, challenge: createHash('sha256').update(verifier).digest('base64url'), redirectUri });
      return code;
    },
    failNext: (path, fault) => void faults.set(path, fault),
    close: () => closeServer(server),
  };
}
