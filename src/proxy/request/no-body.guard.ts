import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { badField } from '../../platform/errors/app-error.js';

/** Refuses a body with members on a route that has none: what it asks for would be ignored. Throws `bad_request` (contract.md 3). */
@Injectable()
export class NoBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const body: unknown = context.switchToHttp().getRequest<Request>().body;
    const [field] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    if (field === undefined) return true;
    throw badField(field.slice(0, 64), 'is not known here: parameters of this call go into the query');
  }
}
