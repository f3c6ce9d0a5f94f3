import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { wireMarket } from './market.wire.js';
import { VersionCounts } from './version-counts.js';

function market(name: string, change: object = {}) {
  const file = new URL(`../../../../test/vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return wireMarket.parse({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...change });
}

describe('VersionCounts', () => {
  const lines: string[] = [];
  const keep = (line: string): void => void lines.push(line);

  afterEach(() => {
    Logger.overrideLogger(true);
    lines.length = 0;
  });

  it('polymarket.md 15 logs how many markets of each version were seen, and how many left out, now and then', () => {
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    const counts = new VersionCounts();
    const page = [market('gamma-market'), market('gamma-market-v2'), market('gamma-market-v2', { version: 'v3' })];
    for (let calls = 0; calls < 5; calls += 1) counts.add(page);
    expect(lines).toEqual([expect.stringMatching(/1 of version v1, 1 of v2, 1 left out/)]);
  });
});
