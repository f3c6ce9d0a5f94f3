import { Global, Module } from '@nestjs/common';
import { Retention } from './retention.js';

/** Regular removal of rows that are over. */
@Global()
@Module({ providers: [Retention], exports: [Retention] })
export class RetentionModule {}
