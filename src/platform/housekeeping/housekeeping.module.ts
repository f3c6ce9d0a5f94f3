import { Global, Module } from '@nestjs/common';
import { Housekeeping } from './housekeeping.js';

/** Regular removal of rows that are over. */
@Global()
@Module({ providers: [Housekeeping], exports: [Housekeeping] })
export class HousekeepingModule {}
