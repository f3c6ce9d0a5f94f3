import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';
import { type FakeHandler, FakeServer } from './support/fake-server.js';
import { REDIRECT_URI, VERIFIER } from './support/google.js';
import { codeOf, post } from './support/calls.js';
import { anEmail } from './support/users.js';

const KIB = 1_024;

function json(body: unknown, padding = 0): FakeHandler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body) + ' '.repeat(padding));
    return 'hang';
  };
}

describe('S-15 good words of a provider in a bad form', () => {
  let app: TestApp;
  let provider: FakeServer;
  let elsewhere: FakeServer;
  let answers: Record<string, FakeHandler>;

  beforeAll(async () => {
    provider = await FakeServer.start();
    provider.otherwise = (request, response) => answers[request.target]?.(request, response) ?? 'hang';
    elsewhere = await FakeServer.start();
    elsewhere.otherwise = (request, response) => answers[`elsewhere ${request.target}`]?.(request, response) ?? 'hang';
    app = await startTestApp({
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      GITHUB_URL: provider.url,
      GITHUB_API_URL: provider.url,
      OAUTH_REDIRECT_URIS: REDIRECT_URI,
    });
  });

  afterAll(async () => {
    await app.close();
    await provider.close();
    await elsewhere.close();
  });

  let good: Record<string, object>;

  beforeEach(() => {
    elsewhere.reset();
    good = {
      '/login/oauth/access_token': { access_token: 'gho_1', token_type: 'bearer' },
      '/user': { id: 4_242, login: 'octo', name: 'Octo', avatar_url: null },
      '/user/emails': [{ email: anEmail(), primary: true, verified: true }],
    };
    answers = Object.fromEntries(Object.entries(good).map(([path, body]) => [path, json(body)]));
  });

  const signIn = () =>
    post(app, '/auth/github/callback', { code: 'c', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI });

  it('lets in whom it names in 250 KiB', async () => {
    for (const [path, body] of Object.entries(good)) answers[path] = json(body, 250 * KIB);
    expect((await signIn()).status).toBe(200);
  });

  it.each(['/login/oauth/access_token', '/user', '/user/emails'])('refuses more than 256 KiB of %s', async (path) => {
    answers[path] = json(good[path], 257 * KIB);
    const answer = await signIn();
    expect([answer.status, codeOf(answer)]).toEqual([502, 'oauth_provider_error']);
  });

  it.each([
    ['/login/oauth/access_token', 307],
    ['/login/oauth/access_token', 303],
    ['/user', 301],
    ['/user', 302],
    ['/user/emails', 308],
  ])('follows nobody who sends it from %s elsewhere with %i', async (path, status) => {
    answers[path] = () => ({ status, headers: { location: `${elsewhere.url}${path}` } });
    answers[`elsewhere ${path}`] = json(good[path]);
    const answer = await signIn();
    expect([answer.status, codeOf(answer), elsewhere.arrived.length]).toEqual([502, 'oauth_provider_error', 0]);
  });
});
