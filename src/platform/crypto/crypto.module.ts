import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { AuthenticatedText } from './authenticated-text.js';
import { CryptoMetrics } from './crypto-metrics.js';
import { CryptoService } from './crypto.service.js';
import { PasswordHasher } from './password-hasher.js';

const SERVICES = [AuthenticatedText, CryptoService, PasswordHasher];

@Global()
@Module({ imports: [MetricsModule], providers: [...SERVICES, CryptoMetrics], exports: SERVICES })
export class CryptoModule {}
