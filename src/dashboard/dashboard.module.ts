import { Module } from '@nestjs/common';
import { AccountPagesController } from './account-pages.controller.js';

/** Pages for people. */
@Module({ controllers: [AccountPagesController] })
export class DashboardModule {}
