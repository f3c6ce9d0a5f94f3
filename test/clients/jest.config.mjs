import { join } from 'node:path';
import config from '../../jest.config.mjs';

const rootDir = join(import.meta.dirname, '../..');
const project = config.projects.find(({ displayName }) => displayName === 'e2e');

/** @type {import('jest').Config} What `npm run test:clients` runs against the service: none of it is in `npm test`. */
export default {
  ...config,
  rootDir,
  maxWorkers: 2,
  projects: [
    { ...project, rootDir, displayName: 'clients', testMatch: ['<rootDir>/test/clients/**/*.clients-spec.ts'] },
  ],
};
