import 'reflect-metadata';
import { Agent } from 'node:http';
import { HttpModule } from '@nestjs/axios';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { PassportModule } from '@nestjs/passport';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyStrategy, AuthService, JWT_SECRET, JwtStrategy } from './auth.js';
import { AccountController, KalshiController } from './controllers.js';
import { ApiKey, Credential, User } from './entities.js';
import { KalshiService } from './kalshi.js';

const ENTITIES = [ApiKey, Credential, User];

/** A Nest service as its documentation shows one: what a team would write in a week. It proxies and unifies nothing. */
@Module({
  imports: [
    PassportModule,
    JwtModule.register({ secret: JWT_SECRET, signOptions: { expiresIn: '2h' } }),
    HttpModule.register({
      baseURL: `http://127.0.0.1:${process.env.UPSTREAM_PORT ?? ''}`,
      httpAgent: new Agent({ keepAlive: true, maxSockets: 256 }),
      timeout: 10_000,
    }),
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env.BENCH_DATABASE_URL ?? '', entities: ENTITIES }),
    TypeOrmModule.forFeature(ENTITIES),
  ],
  controllers: [KalshiController, AccountController],
  providers: [KalshiService, ApiKeyStrategy, JwtStrategy, AuthService],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.send?.({ ready: true });
