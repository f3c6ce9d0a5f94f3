import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Provides the settings, which the start of the service reads once. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Settings, useValue: settings }], exports: [Settings] };
  }
}
