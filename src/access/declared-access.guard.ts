import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS } from './access.metadata.js';

/** The global guard: a route that does not say who may call it is refused, to everybody (CONTRIBUTING.md 4, S-18). */
@Injectable()
export class DeclaredAccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<unknown>(ACCESS, context.getHandler()) !== undefined) return true;
    throw new Error(`${context.getClass().name}.${context.getHandler().name} does not declare who may call it`);
  }
}
