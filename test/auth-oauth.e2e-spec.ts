import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type Forger, startForger } from './support/forger.js';
import { type Fault, type GitHubPerson, startGitHub, type TestGitHub } from './support/github.js';
import { startInstance } from './support/instance.js';
import {
  type Claims,
  CLIENT_ID,
  CLIENT_SECRET,
  googleSettings,
  REDIRECT_URI,
  startGoogle,
  type TestGoogle,
  VERIFIER,
} from './support/google.js';
import { waitForMails } from './support/mail.js';
import { codeOf, cookieOf, detailsOf, get, logIn, post, refresh, signedIn, signUp } from './support/calls.js';
import { dump, sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';
import { rounds } from './support/long.js';

const BOUND = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
let counter = 0;

function aSubject(): string {
  counter += 1;
  return `subject-${counter}`;
}

interface World {
  readonly app: TestApp;
  readonly google: TestGoogle;
  readonly github: TestGitHub;
}

function settingsOf({ google, github }: Pick<World, 'google' | 'github'>): Record<string, string> {
  return {
    ...googleSettings(google),
    GITHUB_CLIENT_ID: CLIENT_ID,
    GITHUB_CLIENT_SECRET: CLIENT_SECRET,
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.url,
  };
}

async function startWorld(overrides: Record<string, string> = {}, claimsInIdToken = true): Promise<World> {
  const google = await startGoogle(REDIRECT_URI, claimsInIdToken);
  const github = await startGitHub();
  const app = await startTestApp({ ...settingsOf({ google, github }), ...overrides });
  return { app, google, github };
}

async function stopWorld({ app, google, github }: World): Promise<void> {
  await app.close();
  await google.close();
  await github.close();
}

function callback(app: Pick<TestApp, 'url'>, provider: string, code: string, overrides: object = {}): request.Test {
  const body = { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI, ...overrides };
  return post(app, `/auth/${provider}/callback`, body);
}

async function byGoogle({ app, google }: World, subject: string, claims: Claims): Promise<Response> {
  return callback(app, 'google', await google.code(subject, claims, BOUND));
}

function person(id: number, email: string, verified: unknown = true): GitHubPerson {
  const other = { email: `other-${id}@example.com`, primary: false, verified: true };
  return { id, login: `octo${id}`, emails: [other, { email, primary: true, verified }] };
}

async function byGitHub({ app, github }: World, somebody: GitHubPerson): Promise<Response> {
  return callback(app, 'github', github.code(somebody, BOUND));
}

/** A sign-in by either provider of somebody whose address it has verified, or not. */
const PROVIDERS = {
  google: (world: World, id: number, email: string, verified: unknown = true) =>
    byGoogle(world, String(id), { email, email_verified: verified, name: 'Ada' }),
  github: (world: World, id: number, email: string, verified: unknown = true) =>
    byGitHub(world, person(id, email, verified)),
};
type ProviderName = keyof typeof PROVIDERS;
const NAMES: readonly ProviderName[] = ['google', 'github'];
let nextId = 1000;

function anId(): number {
  nextId += 1;
  return nextId;
}

async function profileOf(app: TestApp, token: string): Promise<Record<string, unknown>> {
  return (await get(app, '/account/profile', token)).body as Record<string, unknown>;
}

describe('sign-in through providers in open mode', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
  });

  afterAll(() => stopWorld(world));

  it.each(NAMES)('specification.md 4.6, 4.7 signs in with %s: access_token, user and the cookie', async (name) => {
    const email = anEmail();
    const answer = await PROVIDERS[name](world, anId(), email.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      user: {
        id: expect.stringMatching(/^usr_/),
        email,
        name: expect.any(String),
        avatar_url: name === 'github' ? 'https://x.y/a.png' : null,
        role: 'user',
      },
    });
    expect(cookieOf(answer)).toMatch(
      /^refresh_token=[\w-]{43}; Max-Age=2592000; Path=\/auth; HttpOnly; Secure; SameSite=Strict$/,
    );
    const profile = await profileOf(world.app, signedIn(answer).token);
    expect(profile).toMatchObject({ email_verified: true, providers: [name] });
  });

  it.each(NAMES)('S-11 %s: the same subject with another address is the same user', async (name) => {
    const id = anId();
    const first = signedIn(await PROVIDERS[name](world, id, anEmail()));
    expect(signedIn(await PROVIDERS[name](world, id, anEmail())).id).toBe(first.id);
    expect(signedIn(await PROVIDERS[name](world, id, anEmail(), false)).id).toBe(first.id);
  });

  it('S-11 the same subject at another provider is another person', async () => {
    const id = anId();
    const first = signedIn(await PROVIDERS.google(world, id, anEmail()));
    const second = signedIn(await PROVIDERS.github(world, id, anEmail()));
    expect(second.id).not.toBe(first.id);
    const stranger = await PROVIDERS.github(world, anId(), anEmail(), false);
    expect([stranger.status, codeOf(stranger)]).toEqual([403, 'oauth_failed']);
    expect(signedIn(await PROVIDERS.google(world, id, anEmail(), false)).id).toBe(first.id);
    expect(signedIn(await PROVIDERS.github(world, id, anEmail(), false)).id).toBe(second.id);
  });

  it.each(NAMES)(
    'S-11, S-15 %s: an address that is not verified there is refused with 403, and nothing is written',
    async (name) => {
      const owner = await aUser(world.app);
      for (const verified of [false, 'false', 'true', undefined, 1]) {
        const answer = await PROVIDERS[name](world, anId(), owner.email, verified ?? null);
        expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([
          403,
          'oauth_failed',
          { reason: 'email_unverified' },
        ]);
      }
      expect(await profileOf(world.app, owner.token)).toMatchObject({ providers: ['email'] });
    },
  );

  it.each(NAMES)(
    'S-11 %s: links to an account whose address is verified on both sides, and tells its owner',
    async (name) => {
      const owner = await aUser(world.app);
      const linked = signedIn(await PROVIDERS[name](world, anId(), owner.email));
      expect(linked.id).toBe(owner.id);
      expect(await profileOf(world.app, owner.token)).toMatchObject({
        name: 'Test Person',
        providers: ['email', name],
      });
      expect((await logIn(world.app, owner.email)).status).toBe(200);
      const mails = await waitForMails(world.app, owner.email, 2);
      expect(mails.map(({ subject }) => subject)).toContain('A way to sign in was added');
    },
  );

  it.each(NAMES)('S-10, S-12 %s: a waiting sign-up of somebody else is dropped', async (name) => {
    const email = anEmail();
    await signUp(world.app, email);
    const owner = signedIn(await PROVIDERS[name](world, anId(), email));
    expect((await logIn(world.app, email)).status).toBe(401);
    expect(await sql(world.app, 'SELECT 1 FROM pending_signups WHERE email = $1', [email])).toEqual([]);
    expect(await profileOf(world.app, owner.token)).toMatchObject({ providers: [name] });
  });

  it.each(NAMES)('S-7, S-12 %s first, then a sign-up with a password: changes nothing', async (name) => {
    const email = anEmail();
    const owner = signedIn(await PROVIDERS[name](world, anId(), email));
    const before = await profileOf(world.app, owner.token);
    const answer = await signUp(world.app, email, { name: 'Mallory' });
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([201, ['message', 'user_id']]);
    const [mail] = await waitForMails(world.app, email, 1);
    expect(mail?.text).not.toContain('#token=');
    expect((await logIn(world.app, email)).status).toBe(401);
    expect(await profileOf(world.app, owner.token)).toEqual(before);
    expect(await sql(world.app, 'SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
  });

  it('R-8 twenty parallel first sign-ins of one person over two instances and providers give one user', async () => {
    const other = await startInstance(world.app, settingsOf(world));
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const email = anEmail();
      const subject = aSubject();
      const octo = person(anId(), email);
      const calls = Array.from({ length: 20 }, async (_, index) => {
        const to = index % 2 === 0 ? world.app : other;
        if (index % 4 < 2) return callback(to, 'github', world.github.code(octo, BOUND));
        return callback(to, 'google', await world.google.code(subject, { email, email_verified: true }, BOUND));
      });
      const answers = await Promise.all(calls);
      expect(new Set(answers.map((answer) => signedIn(answer).id)).size).toBe(1);
      expect(await sql(world.app, 'SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
    }
    await other.close();
  });

  it.each(NAMES)(
    'a code that is unknown or used, and a wrong verifier, are 400 code_rejected with %s',
    async (name) => {
      const rejected = [400, 'oauth_failed', { reason: 'code_rejected' }];
      const seen = (answer: Response) => [answer.status, codeOf(answer), detailsOf(answer)];
      expect(seen(await callback(world.app, name, 'unknown'))).toEqual(rejected);
      const fresh = async (): Promise<string> => {
        const id = anId();
        if (name === 'github') return world.github.code(person(id, anEmail()), BOUND);
        return world.google.code(String(id), { email: anEmail(), email_verified: true }, BOUND);
      };
      const wrong = await callback(world.app, name, await fresh(), { code_verifier: 'w'.repeat(43) });
      expect(seen(wrong)).toEqual(rejected);
      const code = await fresh();
      expect((await callback(world.app, name, code)).status).toBe(200);
      const again = await callback(world.app, name, code);
      expect(seen(again)).toEqual(rejected);
      expect(again.text).not.toContain('canary');
    },
  );

  it.each([
    `${REDIRECT_URI}/`,
    REDIRECT_URI.replace('localhost', 'LOCALHOST'),
    REDIRECT_URI.replace('3000', '3001'),
    REDIRECT_URI.replace('localhost', 'user@localhost'),
    `${REDIRECT_URI}?x=1`,
    `${REDIRECT_URI}#x`,
    '//evil.example/dashboard/oauth/callback',
    '',
  ])('S-14 refuses the redirect address %j and does not call the provider', async (redirectUri) => {
    const before = world.google.requests.length + world.github.requests.length;
    for (const name of NAMES) {
      const answer = await callback(world.app, name, 'code', { redirect_uri: redirectUri });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'redirect_uri_not_allowed']);
    }
    expect(world.google.requests.length + world.github.requests.length).toBe(before);
  });

  it.each([
    ['code', ''],
    ['code', 'x'.repeat(2049)],
    ...['\u0000', '\n', '\t', '\u007f', '\u0085', '\u00e4', '\u200b', '\u202e'].map((odd) => ['code', `a${odd}b`]),
    ['code_verifier', 'v'.repeat(42)],
    ['code_verifier', 'v'.repeat(129)],
    ['code_verifier', `${'v'.repeat(43)} `],
    ['code_verifier', 7],
  ])('S-14 refuses a bad %s before any call', async (field, value) => {
    const before = world.github.requests.length;
    const answer = await callback(world.app, 'github', 'code', { [field]: value });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
    expect(world.github.requests.length).toBe(before);
  });

  it.each<[Fault, string, number]>([
    ['redirect', 'oauth_provider_error', 502],
    ['status_500', 'oauth_provider_error', 502],
    ['huge', 'oauth_provider_error', 502],
    ['html', 'oauth_provider_error', 502],
    ['broken_json', 'oauth_provider_error', 502],
    ['empty', 'oauth_provider_error', 502],
    ['hang', 'oauth_provider_timeout', 504],
  ])('S-15 a provider with %s is %s', async (fault, code, status) => {
    for (const path of ['/login/oauth/access_token', '/user/emails']) {
      world.github.failNext(path, fault);
      const answer = await callback(world.app, 'github', world.github.code(person(anId(), anEmail()), BOUND));
      expect([answer.status, codeOf(answer)]).toEqual([status, code]);
      expect(answer.text).not.toContain('canary');
    }
  });

  it('S-15 keeps no token of a provider, in the database or the log', async () => {
    await PROVIDERS.github(world, anId(), anEmail());
    expect(await dump(world.app)).not.toContain('canary');
    expect(world.app.logLines.join('')).not.toContain('gho_');
  });

  it('contract.md 4 lists the providers that are on', async () => {
    const answer = await request(world.app.url).get('/auth/providers');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      providers: [
        {
          id: 'google',
          authorization_url: `${world.google.issuer}/auth`,
          client_id: CLIENT_ID,
          scope: 'openid email profile',
        },
        {
          id: 'github',
          authorization_url: `${world.github.url}/login/oauth/authorize`,
          client_id: CLIENT_ID,
          scope: 'read:user user:email',
        },
      ],
    });
  });

  it('S-41 keeps one event an action', async () => {
    const answer = signedIn(await PROVIDERS.google(world, anId(), anEmail()));
    const { data } = (await get(world.app, '/account/activity', answer.token)).body as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toEqual(['login', 'signup']);
  });
});

describe('sign-in through providers in whitelist mode', () => {
  let world: World;
  const approved = Array.from({ length: 8 }, (_, index) => `approved-${index}@example.com`);

  beforeAll(async () => {
    world = await startWorld({ ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: approved.join(',') }, false);
  });

  afterAll(() => stopWorld(world));

  it.each<[ProviderName, string]>([
    ['google', approved[0] ?? ''],
    ['github', approved[1] ?? ''],
  ])('S-13 %s lets approved addresses in and no others, and writes nothing of them', async (name, email) => {
    expect((await PROVIDERS[name](world, anId(), email)).status).toBe(200);
    const stranger = anEmail();
    const refused = await PROVIDERS[name](world, anId(), stranger);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'signup_not_allowed']);
    expect(await sql(world.app, 'SELECT 1 FROM users WHERE email = $1', [stranger])).toEqual([]);
  });

  it.each<[ProviderName, string]>([
    ['google', approved[2] ?? ''],
    ['github', approved[3] ?? ''],
  ])(
    'S-12 %s: the owner takes over what a squatter made, and nothing of the squatter works any more',
    async (name, email) => {
      const squatter = signedIn(await signUp(world.app, email));
      const { key } = (await post(world.app, '/account/api-keys', {}, squatter.token)).body as { key: string };
      const owner = signedIn(await PROVIDERS[name](world, anId(), email));
      expect(owner.id).toBe(squatter.id);
      expect((await get(world.app, '/account/profile', squatter.token)).status).toBe(401);
      expect((await refresh(world.app, squatter.refresh)).status).toBe(401);
      expect((await logIn(world.app, email)).status).toBe(401);
      expect((await get(world.app, '/me', key)).status).toBe(401);
      expect(await profileOf(world.app, owner.token)).toMatchObject({ email_verified: true, providers: [name] });
      const { data } = (await get(world.app, '/account/activity', owner.token)).body as { data: { type: string }[] };
      expect(data.map(({ type }) => type)).toContain('account_taken_over');
    },
  );

  it.each<[ProviderName, string]>([
    ['google', approved[4] ?? ''],
    ['github', approved[5] ?? ''],
  ])(
    'S-12 %s: the other way round, a sign-up cannot get at an account that came through a provider',
    async (name, email) => {
      const owner = signedIn(await PROVIDERS[name](world, anId(), email));
      expect(codeOf(await signUp(world.app, email))).toBe('signup_not_allowed');
      expect((await logIn(world.app, email)).status).toBe(401);
      expect((await get(world.app, '/account/profile', owner.token)).status).toBe(200);
    },
  );
});

describe('redirect addresses', () => {
  const worlds: World[] = [];

  afterEach(async () => {
    for (const world of worlds.splice(0)) await stopWorld(world);
  });

  it.each([
    'https://app.example/callback?tenant=a%20b&x=1',
    'https://app.example/callback?next=/home',
    'https://app.example',
    'https://APP.example:443/callback/../callback',
  ])('S-14 %s goes to the provider character for character', async (redirectUri) => {
    const google = await startGoogle(redirectUri);
    const github = await startGitHub();
    const app = await startTestApp({ ...settingsOf({ google, github }), OAUTH_REDIRECT_URIS: redirectUri });
    worlds.push({ app, google, github });
    const bound = { verifier: VERIFIER, redirectUri };
    const code = await google.code(aSubject(), { email: anEmail(), email_verified: true }, bound);
    expect((await callback(app, 'google', code, { redirect_uri: redirectUri })).status).toBe(200);
    const other = github.code(person(anId(), anEmail()), bound);
    expect((await callback(app, 'github', other, { redirect_uri: redirectUri })).status).toBe(200);
  });
});

describe('ID tokens', () => {
  let forger: Forger;
  let app: TestApp;

  beforeAll(async () => {
    forger = await startForger();
    app = await startTestApp({
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_ISSUER: forger.issuer,
      OAUTH_REDIRECT_URIS: REDIRECT_URI,
    });
  });

  afterAll(async () => {
    await app.close();
    await forger.close();
  });

  it.each<[string, object, boolean]>([
    ['for another audience', { aud: 'somebody-else' }, false],
    ['of another issuer', { iss: 'https://evil.example' }, false],
    ['that has expired', { exp: Math.floor(Date.now() / 1_000) - 60 }, false],
    ['without a subject', { sub: undefined }, false],
    ['signed by another key', {}, true],
  ])('S-14 an ID token %s is 502 oauth_provider_error, and nobody is signed in', async (_, claims, otherKey) => {
    const good = { sub: aSubject(), email: anEmail(), email_verified: true };
    forger.answer({ ...good, ...claims }, otherKey);
    const answer = await callback(app, 'google', 'code');
    expect([answer.status, codeOf(answer)]).toEqual([502, 'oauth_provider_error']);
    forger.answer(good, false);
    expect((await callback(app, 'google', 'code')).status).toBe(200);
  });
});

describe('providers that are off or away', () => {
  it('a provider without a client id is 404 provider_not_configured, and the list is empty', async () => {
    const app = await startTestApp();
    const answer = await callback(app, 'google', 'code');
    expect([answer.status, codeOf(answer)]).toEqual([404, 'provider_not_configured']);
    expect((await request(app.url).get('/auth/providers')).body).toEqual({ providers: [] });
    await app.close();
  });

  it('a provider that does not know us, or is away, is 502 oauth_provider_error', async () => {
    const world = await startWorld({ GOOGLE_CLIENT_SECRET: 'wrong' });
    const code = await world.google.code('x', { email: anEmail(), email_verified: true }, BOUND);
    expect(codeOf(await callback(world.app, 'google', code))).toBe('oauth_provider_error');
    await stopWorld(world);
    const gone = await startTestApp({
      GOOGLE_CLIENT_ID: CLIENT_ID,
      GOOGLE_ISSUER: world.google.issuer,
      OAUTH_REDIRECT_URIS: REDIRECT_URI,
    });
    const answer = await callback(gone, 'google', 'code');
    expect([answer.status, codeOf(answer)]).toEqual([502, 'oauth_provider_error']);
    await gone.close();
  });
});
