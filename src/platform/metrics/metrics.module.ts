import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Figures for `/metrics`: one registry an application. A part that shows some imports this module. */
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
