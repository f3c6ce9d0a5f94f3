import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { InstallationService } from '../../src/dashboard/installation.service.js';
import { EXCHANGE_SETTINGS, EXCHANGES } from '../../src/exchanges/exchange.registry.js';
import { Settings } from '../../src/platform/config/settings.js';
import { NO_EXCHANGES, startTestApp, type TestApp } from '../support/app.js';
import { get, signedIn, signUp } from '../support/calls.js';
import { ADAPTER_SETTINGS } from '../support/settings.js';
import { anEmail } from '../support/users.js';

const KILOBYTES = 1_024;
/** What a built script imports before it runs, and what it may import later. */
const STATIC = /(?:from|import)["'`]\.\/([\w-]+\.js)["'`]/g;
const LAZY = /import\(["'`]\.\/([\w-]+\.js)["'`]\)/g;

/** As it was sent: supertest decodes what it knows. */
async function raw(app: TestApp, path: string, encoding: string): Promise<{ headers: Headers; body: Buffer }> {
  const { request: send } = await import('node:http');
  return new Promise((resolve, reject) => {
    send(app.url + path, { headers: { 'Accept-Encoding': encoding } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        resolve({ headers: new Headers(answer.headers as Record<string, string>), body: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('how the dashboard is served', () => {
  let app: TestApp;
  const approved = anEmail();

  beforeAll(async () => {
    app = await startTestApp({
      ACCESS_MODE: 'whitelist',
      WHITELIST_EMAILS: approved,
      KALSHI_API_URL: 'https://kalshi.example/trade-api/v2',
    });
  });

  afterAll(() => app.close());

  const page = (path: string): request.Test => request(app.url).get(path).set('Accept', 'text/html');

  const below = (path: string): string => `/dashboard${path}`;

  const assetsOf = ({ text }: Response): string[] =>
    [...text.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

  it('every address below /dashboard that is no asset is its page, never kept', async () => {
    const { text } = await page('/dashboard');
    const pages = ['', '/api-key', '/sign-in?return=%2Fx', '/oauth/callback?code=a&state=b', '/no/such'];
    // Where `dashboard` could be taken for an exchange.
    const routes = ['/markets?words=a', '/markets/x', '/orders', '/orders/x', '/balance', '/portfolio'];
    for (const path of [...pages, ...routes].map(below)) {
      const answer = await page(path);
      expect([path, answer.status, answer.text === text]).toEqual([path, 200, true]);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect((await request(app.url).head(path)).status).toBe(200);
    }
  });

  it('an asset is kept for a year, in the encoding that the client accepts; an unknown one is 404', async () => {
    const [script = ''] = assetsOf(await page('/dashboard')).filter((path) => path.endsWith('.js'));
    const plain = await raw(app, script, 'identity');
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('vary')).toContain('Accept-Encoding');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const gzip = await raw(app, script, 'gzip');
    expect([gzip.headers.get('content-encoding'), gunzipSync(gzip.body).equals(plain.body)]).toEqual(['gzip', true]);
    const brotli = await raw(app, script, 'gzip, br');
    expect([brotli.headers.get('content-encoding'), brotliDecompressSync(brotli.body).equals(plain.body)]).toEqual([
      'br',
      true,
    ]);
    for (const path of ['/dashboard/assets/none.js', '/dashboard/assets/..%2findex.html', '/dashboard/assets/a/b']) {
      const answer = await request(app.url).get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(String(answer.headers['cache-control'])).not.toContain('immutable');
    }
  });

  it('S-42 the page and its assets stand under a strict policy', async () => {
    const answer = await page('/dashboard');
    for (const { headers } of [answer, await page(assetsOf(answer)[0] ?? '')]) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
    }
  });

  it('the page says what this installation is, and nothing that is secret', async () => {
    const { text } = await page('/dashboard');
    const [, block = ''] = /<script type="application\/json" id="installation">(.*?)<\/script>/.exec(text) ?? [];
    // Seen before any script has come.
    expect(text).toContain('<div class="before-ribbon" data-mode="live"><strong>LIVE</strong>Real money.</div>');
    expect(JSON.parse(block)).toEqual({
      mode: 'live',
      exchanges: EXCHANGES.map(({ id, docs: { name }, presentation }) => {
        return { id, name, mode: id === 'kalshi' ? 'live' : 'sandbox', ...presentation };
      }),
      sign_up: 'whitelist',
      catalogue_refresh_s: 0,
      public_url: app.settings.publicUrl,
      oauth_redirect_uris: [`${app.settings.publicUrl}/dashboard/oauth/callback`],
    });
  });

  it('tells whoever is signed in where orders go, one host an exchange, and nobody else', async () => {
    const user = signedIn(await signUp(app, approved));
    const answer = await get(app, '/account/exchange-hosts', user.token);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        exchanges: EXCHANGES.map(({ id }) => ({ exchange: id, host: id === 'kalshi' ? 'kalshi.example' : null })),
      },
    ]);
    expect((await request(app.url).get('/account/exchange-hosts')).status).toBe(401);
    expect((await page('/dashboard')).text).not.toMatch(/kalshi\.example|127\.0\.0\.1:9\b/);
  });

  it('S-57 calls nothing a sandbox that is not set up as one on this very machine', () => {
    const modesWith = (environment: Record<string, string>): string[] => {
      const settings = Settings.read({ ...ADAPTER_SETTINGS, ...environment }, EXCHANGE_SETTINGS);
      const { mode, exchanges } = new InstallationService(settings).describe();
      return [mode, ...exchanges.map((exchange) => exchange.mode)];
    };
    const here = NO_EXCHANGES as Record<string, string>;
    expect(modesWith(here)).toEqual(['sandbox', ...EXCHANGES.map(() => 'sandbox')]);
    expect(modesWith({})).toEqual(['live', ...EXCHANGES.map(() => 'live')]);
    for (const address of ['https://gamma-api.polymarket.com', 'https://127.0.0.1:9']) {
      expect(modesWith({ ...here, POLYMARKET_GAMMA_URL: address })).toEqual([
        'live',
        ...EXCHANGES.map(({ id }) => (id === 'polymarket' ? 'live' : 'sandbox')),
      ]);
    }
  });

  it('leads a browser from / to the dashboard, and nobody else', async () => {
    const accepting = (accept: string): request.Test => request(app.url).get('/').set('Accept', accept);
    for (const answer of [
      await page('/'),
      await request(app.url).head('/').set('Accept', 'text/html'),
      await accepting('application/json, TEXT/HTML;level=1;q=0.5'),
    ]) {
      expect([answer.status, answer.headers.location]).toEqual([302, '/dashboard']);
    }
    expect((await page('/dashboard/')).headers.location).toBe('/dashboard');
    for (const answer of [
      await accepting('application/json'),
      await accepting('text/html;q=0'),
      await accepting('*/*, text/html ; Q=0.000'),
      await request(app.url).post('/').set('Accept', 'text/html'),
    ]) {
      expect(answer.status).toBe(404);
    }
  });

  it('the first load is below 200 KB of compressed JavaScript, whichever page it is', async () => {
    const scripts = new Map<string, { readonly bytes: number; readonly code: string }>();
    const read = async (path: string): Promise<{ readonly bytes: number; readonly code: string }> => {
      const { body, headers } = await raw(app, path, 'gzip');
      const isGzip = headers.get('content-encoding') === 'gzip';
      const script = { bytes: body.length, code: (isGzip ? gunzipSync(body) : body).toString() };
      scripts.set(path, script);
      return script;
    };
    /** Scripts that these load before they run, themselves included. */
    const loadedBy = async (paths: readonly string[]): Promise<Set<string>> => {
      const all = new Set<string>();
      const queue = [...paths];
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
        if (all.has(path)) continue;
        all.add(path);
        const { code } = scripts.get(path) ?? (await read(path));
        queue.push(...[...code.matchAll(STATIC)].map(([, name = '']) => `/dashboard/assets/${name}`));
      }
      return all;
    };
    const kilobytesOf = (paths: Set<string>): number =>
      [...paths].reduce((sum, path) => sum + (scripts.get(path)?.bytes ?? 0), 0) / KILOBYTES;
    const lazilyBy = (paths: Set<string>): string[] => {
      const names = [...paths].flatMap((path) => [...(scripts.get(path)?.code ?? '').matchAll(LAZY)]);
      return [...new Set(names.map(([, name = '']) => `/dashboard/assets/${name}`))];
    };
    const entry = assetsOf(await page('/dashboard')).filter((path) => path.endsWith('.js'));
    // What stands around the pages of whoever is signed in.
    const around = lazilyBy(await loadedBy(entry)).filter((path) => path.includes('/gate-'));
    expect(around.length).toBe(1);
    const first = [...entry, ...around];
    const pages = lazilyBy(await loadedBy(first));
    expect(pages.length).toBeGreaterThan(10);
    for (const one of pages) {
      const loaded = await loadedBy([...first, one]);
      expect([one, loaded.size > 3, kilobytesOf(loaded) < 200]).toEqual([one, true, true]);
      expect([...loaded].filter((path) => path.includes('/chart-'))).toEqual([]);
    }
    expect([...scripts.values()].some(({ code }) => code.includes('./chart-'))).toBe(true);
  });
});
