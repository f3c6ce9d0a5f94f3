import { createHash } from 'node:crypto';
import { type ArrivedRequest, type FakeAnswer, type FakeHandler, FakeServer } from './fake-server.js';
import { CLIENT_ID, CLIENT_SECRET } from './google.js';

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
  readonly requests: readonly string[];
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

const FAULTS: Readonly<Record<Fault, FakeHandler>> = {
  redirect: () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }),
  status_500: () => ({ status: 500, body: { message: 'canary-of-the-provider' } }),
  hang: () => 'hang',
  huge: () => ({ body: 'x'.repeat(10_000_000) }),
  html: raw('text/html', '<p>canary-of-the-provider</p>'),
  broken_json: raw('application/json', '{"access_token":'),
  empty: () => ({ body: {} }),
};

function raw(type: string, text: string): FakeHandler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type }).end(text);
    return 'hang';
  };
}

export async function startGitHub(): Promise<TestGitHub> {
  const codes = new Map<string, Bound>();
  const tokens = new Map<string, GitHubPerson>();
  const faults = new Map<string, Fault>();
  const server = await FakeServer.start();

  const exchange = ({ body }: ArrivedRequest): FakeAnswer => {
    const form = new URLSearchParams(body);
    const bound = codes.get(form.get('code') ?? '');
    const ours = form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
    if (!ours) return { body: { error: 'incorrect_client_credentials' } };
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (bound?.challenge !== challenge || bound.redirectUri !== form.get('redirect_uri')) {
      return { body: { error: 'bad_verification_code', error_description: 'canary-of-the-provider' } };
    }
    codes.delete(form.get('code') ?? '');
    const token = `gho_${tokens.size}_canary`;
    tokens.set(token, bound.person);
    return { body: { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' } };
  };

  server.otherwise = (request, response) => {
    const { target, headers } = request;
    const fault = faults.get(target);
    faults.delete(target);
    const person = tokens.get((headers.authorization ?? '').replace('Bearer ', ''));
    if (fault !== undefined) return FAULTS[fault](request, response);
    if (target === '/login/oauth/access_token') return exchange(request);
    if (person === undefined) return { status: 401, body: { message: 'Bad credentials' } };
    if (target === '/user') return { body: { avatar_url: 'https://x.y/a.png', name: null, ...person } };
    return { body: person.emails };
  };

  return {
    url: server.url,
    get requests() {
      return server.targets;
    },
    code: (person, { verifier, redirectUri }) => {
      const code = `code-${codes.size}-${person.login}`;
      codes.set(code, { person, challenge: createHash('sha256').update(verifier).digest('base64url'), redirectUri });
      return code;
    },
    failNext: (path, fault) => void faults.set(path, fault),
    close: () => server.close(),
  };
}
