import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller.js';
import { InstallationService } from './installation.service.js';

/** Pages for people. */
@Module({ controllers: [DashboardController], providers: [InstallationService] })
export class DashboardModule {}
