import { Logger } from '@nestjs/common';
import { processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import { findServer } from '../src/platform/database/database-server.js';
import { prepareSchema } from '../src/platform/database/prepare-schema.js';
import { createLog } from '../src/platform/logging/log.js';
import { NestLogService } from '../src/platform/logging/nest-log.service.js';
import { printLines } from './print-lines.js';

// Needs the settings of the database alone: the job that changes the schema holds no secret of the service.
await printLines(async () => {
  Logger.overrideLogger(new NestLogService(createLog({ level: 'info', readable: false, destination: process.stderr })));
  const found = await findServer(Settings.readDatabase(processEnvironment()));
  try {
    await prepareSchema(found);
  } finally {
    await found.server?.stop();
  }
  return ['The schema is up to date.'];
});
