import { SWC } from './scripts/swc.mjs';

/** What both kinds of tests share. */
const BASE = {
  testEnvironment: '<rootDir>/test/shared-environment.cjs',
  runtime: '<rootDir>/test/shared-runtime.cjs',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  setupFiles: ['<rootDir>/test/fixed-seed.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...SWC, sourceMaps: 'inline' }],
  },
};

/** Specs in src that start servers on loopback: the client of the exchanges. */
const WITH_SERVERS =
  '/src/platform/upstream/(http-upstream-client[a-z-]*|fair-calls|upstream-attempt|upstream-clients).spec.ts';

/** @type {import('jest').Config} */
export default {
  projects: [
    {
      // Pure code: `npm run test:unit` runs these alone, without a build, PostgreSQL or any server.
      ...BASE,
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.ts'],
      testPathIgnorePatterns: [WITH_SERVERS],
    },
    {
      // Several modules together, with fake servers at most; some measure how long hostile input takes.
      ...BASE,
      displayName: 'component',
      testMatch: [
        '<rootDir>/test/**/*.spec.ts',
        '<rootDir>/sandbox/**/*.spec.ts',
        '<rootDir>/src/platform/upstream/{http-upstream-client*,fair-calls,upstream-attempt,upstream-clients}.spec.ts',
      ],
    },
    {
      ...BASE,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/global-setup.mjs',
      globalTeardown: '<rootDir>/test/global-teardown.mjs',
    },
  ],
  // On two cores: what some wait for, others work in.
  maxWorkers: 4,
  // What hangs is red either way; a slow machine has work to do in a test.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/test/slowest-first.mjs',
};
