import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { shortened } from './redaction.js';

function contextOf(parameters: readonly unknown[]): string | undefined {
  const last = parameters.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : undefined;
}

/**
 * Where Nest logs why a start failed. It throws the same error, which the program that starts Nest reports in plain words
 * (CONTRIBUTING.md 7).
 */
const THROWN_TOO = new Set<string | undefined>(['ExceptionHandler', 'NestApplication']);

/** Nest's own messages and those of `new Logger(context)`, written to the one log. */
export class NestLogService implements LoggerService {
  constructor(private readonly log_: Logger) {}

  log(message: unknown, ...parameters: unknown[]): void {
    this.#write('info', message, parameters);
  }

  error(message: unknown, ...parameters: unknown[]): void {
    this.#write(THROWN_TOO.has(contextOf(parameters)) ? 'debug' : 'error', message, parameters);
  }

  warn(message: unknown, ...parameters: unknown[]): void {
    this.#write('warn', message, parameters);
  }

  debug(message: unknown, ...parameters: unknown[]): void {
    this.#write('debug', message, parameters);
  }

  verbose(message: unknown, ...parameters: unknown[]): void {
    this.#write('trace', message, parameters);
  }

  fatal(message: unknown, ...parameters: unknown[]): void {
    this.#write('fatal', message, parameters);
  }

  #write(level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal', message: unknown, rest: unknown[]): void {
    const context = contextOf(rest);
    if (message instanceof Error) this.log_[level]({ context, err: message }, shortened(message.message));
    else if (typeof message === 'object' && message !== null) this.log_[level]({ context, ...message });
    else this.log_[level]({ context }, shortened(String(message)));
  }
}
