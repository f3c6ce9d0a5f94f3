import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXCHANGE_SETTINGS } from '../../src/exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../../src/platform/config/core.settings.js';
import { demoEnvironment, demoMoves } from './environment.js';

const OWN = {
  NODE_ENV: 'development',
  PORT: undefined,
  DATA_DIR: '.data/demo',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_API: undefined,
  MCP: undefined,
};
const TAKEN = ['PORT', 'DATA_DIR', 'LOG_LEVEL', 'RATE_LIMIT_API', 'MCP'];

describe('demoEnvironment (S-57)', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'demo-environment-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('S-57 takes nothing but PORT, DATA_DIR, LOG_LEVEL, RATE_LIMIT_API and MCP, set directly or through a file', () => {
    const file = join(directory, 'value');
    writeFileSync(file, 'real');
    const names = [...Object.keys(CORE_SETTINGS), ...Object.keys(EXCHANGE_SETTINGS), 'A_SETTING_TO_COME'];
    const others = names.filter((name) => !TAKEN.includes(name));
    expect(demoEnvironment(Object.fromEntries(others.map((name) => [name, 'real'])))).toEqual(OWN);
    expect(demoEnvironment(Object.fromEntries(others.map((name) => [`${name}_FILE`, file])))).toEqual(OWN);
    expect(demoEnvironment({})).toEqual(OWN);
  });

  it('keeps its data below DATA_DIR and listens on PORT', () => {
    writeFileSync(join(directory, 'port'), '3001\n');
    const environment = { DATA_DIR: '/srv/data', PORT_FILE: join(directory, 'port'), LOG_LEVEL: 'info' };
    expect(demoEnvironment(environment)).toEqual({
      ...OWN,
      DATA_DIR: '/srv/data/demo',
      PORT: '3001',
      LOG_LEVEL: 'info',
    });
    expect(() => demoEnvironment({ PORT: '1', PORT_FILE: 'x' })).toThrow(/^PORT must be /);
  });

  it('contract.md 2 lets the markets move unless DEMO_MOVES says no', () => {
    expect([demoMoves({}), demoMoves({ DEMO_MOVES: 'true' }), demoMoves({ DEMO_MOVES: 'false' })]).toEqual([
      true,
      true,
      false,
    ]);
    expect(() => demoMoves({ DEMO_MOVES: '1' })).toThrow('DEMO_MOVES must be true or false');
  });
});
