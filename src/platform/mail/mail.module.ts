import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { Retention } from '../retention/retention.js';
import { MailComposers } from './mail-composers.js';
import { MailLayout } from './mail-layout.js';
import { MailMetrics } from './mail-metrics.js';
import { MailOutbox } from './mail-outbox.js';
import { MailOutboxRepository } from './mail-outbox.repository.js';
import { MailSender } from './mail-sender.js';
import { MailTopicsRepository } from './mail-topics.repository.js';
import { MailWorker } from './mail-worker.js';

/** Mails: an outbox in the database, a worker that sends, SMTP or files. */
@Global()
@Module({
  imports: [MetricsModule],
  providers: [
    MailComposers,
    MailLayout,
    MailMetrics,
    MailOutbox,
    MailOutboxRepository,
    MailSender,
    MailTopicsRepository,
    MailWorker,
  ],
  exports: [MailComposers, MailOutbox],
})
export class MailModule {
  constructor(retention: Retention, rows: MailOutboxRepository) {
    retention.register('mail_outbox', (limit) => rows.removeDone(limit));
  }
}
