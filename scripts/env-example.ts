import { writeFileSync } from 'node:fs';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../src/platform/config/core.settings.js';
import { envExample } from '../src/platform/config/env-example.js';

writeFileSync('.env.example', envExample(CORE_SETTINGS, EXCHANGE_SETTINGS));
