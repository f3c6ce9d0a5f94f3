import { Module } from '@nestjs/common';
import { Drain } from './drain.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

/** What operators need: health; metrics have their place here. */
@Module({ controllers: [HealthController], providers: [Drain, HealthService], exports: [Drain] })
export class OperationsModule {}
