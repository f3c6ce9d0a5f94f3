import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { declaredErrors } from '../platform/errors/api-errors.decorator.js';
import type { ErrorCode } from '../platform/errors/error-codes.js';
import { ACCESS, type Access } from './access.metadata.js';

/**
 * One route of the API. `path` has its parameters as `:name`; `access` is undefined where none is declared; `errors` are
 * those that its own decorators name.
 */
export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
  readonly access: Access | undefined;
  readonly errors: readonly ErrorCode[];
}

function pathOf(target: object): string {
  const value: unknown = Reflect.getMetadata(PATH_METADATA, target);
  return typeof value === 'string' ? value : '';
}

function joinPath(...parts: string[]): string {
  const segments = parts.flatMap((part) => part.split('/')).filter((part) => part !== '');
  return `/${segments.join('/')}`;
}

function matches(routePath: string, requestPath: string): boolean {
  const expected = routePath.split('/');
  const given = requestPath.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, index) => (segment.startsWith(':') ? given[index] !== '' : segment === given[index]))
  );
}

function specificity(path: string): number {
  return path.split('/').filter((segment) => segment.startsWith(':')).length;
}

/** Every route that the controllers declare, read from their own metadata. */
@Injectable()
export class RouteTable {
  #routes: RouteFacts[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  list(): readonly RouteFacts[] {
    this.#routes ??= this.discovery.getControllers().flatMap(({ metatype }) => this.#routesOf(metatype));
    return this.#routes;
  }

  /** Methods that are declared for a path, `HEAD` with every `GET`; null where the path is unknown (contract.md 3). */
  allowedMethods(requestPath: string): readonly string[] | null {
    const hits = this.list().filter(({ path }) => matches(path, requestPath));
    const fewest = Math.min(...hits.map(({ path }) => specificity(path)));
    const methods = hits.filter(({ path }) => specificity(path) === fewest).map(({ method }) => method);
    if (methods.length === 0) return null;
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
  }

  #routesOf(controller: unknown): RouteFacts[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (typeof handler !== 'function') return [];
      const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
      if (typeof method !== 'number') return [];
      return [
        {
          method: RequestMethod[method] ?? 'ALL',
          path: joinPath(pathOf(controller), pathOf(handler)),
          handler: `${controller.name}.${name}`,
          access: Reflect.getMetadata(ACCESS, handler) as Access | undefined,
          errors: declaredErrors(handler),
        },
      ];
    });
  }
}
