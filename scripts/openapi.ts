import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../src/app.module.js';
import { buildDocument } from '../src/app.docs.js';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { Settings } from '../src/platform/config/settings.js';

/** Of this process alone: given, so that none are generated into `DATA_DIR`. */
function secret(): string {
  return randomBytes(32).toString('base64');
}

const SECRETS = { JWT_SECRET: secret(), PASSWORD_PEPPER: secret(), ENCRYPTION_KEYS: `none:${secret()}` };

// Writes the document that the service serves to a file: without providers (`preview`), so without database, secrets and exchanges.
const settings = Settings.read({ DATA_DIR: tmpdir(), ...SECRETS }, EXCHANGE_SETTINGS);
const app = await NestFactory.create(AppModule.with(settings), { preview: true, logger: false, abortOnError: false });
writeFileSync(process.argv[2] ?? 'openapi.json', JSON.stringify(buildDocument(app)));
