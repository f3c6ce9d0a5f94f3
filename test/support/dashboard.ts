import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApp } from './app.js';
import { PASSWORD } from './calls.js';

/** What axe-core finds, as far as it is told here. */
interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What the page's own world has after the source of axe-core has run there. */
interface AxeWorld {
  readonly axe?: { run(options: object): Promise<AxeResults> };
}

/**
 * Runs in the page: the rules that it breaks, each with the elements that do, as JSON. What axe-core has to say of all other elements
 * is many times as long, and cost more than the checks on its way here.
 */
async function brokenRules(): Promise<string> {
  const results = await (globalThis as unknown as AxeWorld).axe?.run({ resultTypes: ['violations'] });
  return JSON.stringify(results?.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]));
}

/** axe-core finds nothing to say of the page as it is now, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the debugger, which no policy of the page holds back; as an element it would be refused.
  const isThere = await page.evaluate(() => (globalThis as unknown as AxeWorld).axe !== undefined);
  if (!isThere) await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const broken: unknown = JSON.parse(await page.evaluate(brokenRules));
    expect([colorScheme, page.url(), broken]).toEqual([colorScheme, page.url(), []]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** The dashboard in one Chromium, as a test uses it: a new browser profile for each test, and what its pages complained of. */
export class TestDashboard {
  /** What the pages said on the console, but for answers that are no success. */
  readonly complaints: string[] = [];
  #context: BrowserContext | undefined;

  constructor(
    private readonly app: TestApp,
    private readonly browser: Browser,
  ) {}

  /** The profile of the present test; there is none before `open`. */
  get context(): BrowserContext {
    if (this.#context === undefined) throw new Error('open a page first');
    return this.#context;
  }

  /** Absolute address of a page, such as `/api-key`. */
  address(path: string): string {
    return `${this.app.settings.publicUrl}/dashboard${path}`;
  }

  /** A page of a new profile. */
  async open(options: BrowserContextOptions = {}): Promise<Page> {
    this.#context = await this.browser.newContext({
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    return this.newTab();
  }

  /** One more page of the same profile. */
  async newTab(): Promise<Page> {
    const page = await this.context.newPage();
    page.on('console', (message) => this.complaints.push(message.text()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    return page;
  }

  /** Ends the profile of the present test. */
  async close(): Promise<void> {
    const context = this.#context;
    this.#context = undefined;
    if (context === undefined) return;
    // Answers that are still on their way nobody waits for; what becomes of them is no failure of the next test.
    await Promise.all([context, ...context.pages()].map((place) => place.unrouteAll({ behavior: 'ignoreErrors' })));
    await context.close();
  }

  /** Opens a page of this path and signs in on the way. */
  async signIn(page: Page, email: string, path = ''): Promise<void> {
    await page.goto(this.address(path));
    await fillInSignIn(page, email);
  }
}

/** Waits until the page has this heading. */
export async function seeHeading(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/** Signs in where the sign-in page stands. */
export async function fillInSignIn(page: Page, email: string): Promise<void> {
  await seeHeading(page, 'Sign in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** All that the browser keeps for this origin, and the address of the page. */
export function keptByBrowser(page: Page): Promise<string> {
  return page.evaluate(
    'indexedDB.databases().then((all) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, all, location.href]))',
  );
}

export function clipboardOf(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()');
}
