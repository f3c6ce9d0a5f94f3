import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { AnswerMetrics } from './answer-metrics.js';
import { AnswersInterceptor } from './answers.interceptor.js';
import { FinishedAnswers } from './finished-answers.js';
import { KeyAnswers } from './key-answers.js';

/**
 * Finished answers around a service that answers the same without them: `src/service.ts` is the one file that names this folder
 * (docs/architecture.md 1).
 */
@Module({})
export class AnswersModule {
  static around(service: DynamicModule): DynamicModule {
    return {
      module: AnswersModule,
      imports: [service, MetricsModule],
      providers: [
        AnswerMetrics,
        FinishedAnswers,
        KeyAnswers,
        { provide: APP_INTERCEPTOR, useClass: AnswersInterceptor },
      ],
    };
  }
}
