import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller.js';
import { ExchangeHostsController } from './exchange-hosts.controller.js';
import { InstallationService } from './installation.service.js';

/** Pages for people. */
@Module({ controllers: [DashboardController, ExchangeHostsController], providers: [InstallationService] })
export class DashboardModule {}
