import { expect } from '@jest/globals';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds, as far as it is told here. */
interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What the page's own world has after the source of axe-core has run there. */
interface AxeWorld {
  readonly axe: { run(): Promise<AxeResults> };
}

/** axe-core finds nothing to say of the page as it is now, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // By the debugger, which no policy of the page holds back; as an element it would be refused.
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (globalThis as unknown as AxeWorld).axe.run());
    const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    expect([colorScheme, page.url(), found]).toEqual([colorScheme, page.url(), []]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
