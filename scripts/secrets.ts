import { freshSecrets } from '../src/platform/config/generated-secrets.js';

process.stdout.write(freshSecrets());
