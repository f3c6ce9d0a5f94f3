import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { declaredErrors } from '../platform/errors/api-errors.decorator.js';
import type { ErrorCode } from '../platform/errors/error-codes.js';
import { type Found, PathIndex } from '../platform/http/path-index.js';
import { ACCESS, type Access } from './access.metadata.js';

/**
 * One route of the API. `path` has its parameters as `:name`, `pattern` as `{name}`, `parameters` are their names; `access` is
 * undefined where none is declared; `errors` are those that its own decorators name.
 */
export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly pattern: string;
  readonly parameters: readonly string[];
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

function indexed(routes: readonly RouteFacts[]): PathIndex<RouteFacts> {
  const index = new PathIndex<RouteFacts>();
  for (const route of routes) index.add(route.path, route);
  return index;
}

/** Every route that the controllers declare, read from their own metadata. */
@Injectable()
export class RouteTable {
  #routes: RouteFacts[] | undefined;
  #index: PathIndex<RouteFacts> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  list(): readonly RouteFacts[] {
    this.#routes ??= this.discovery.getControllers().flatMap(({ metatype }) => this.#routesOf(metatype));
    return this.#routes;
  }

  /** The routes of a path and what its parameters are; null where the path is unknown (contract.md 3, S-26). */
  find(requestPath: string): Found<RouteFacts> | null {
    this.#index ??= indexed(this.list());
    return this.#index.find(requestPath);
  }

  #routesOf(controller: unknown): RouteFacts[] {
    if (typeof controller !== 'function') return [];
    const prototype = controller.prototype as Record<string, unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (typeof handler !== 'function') return [];
      const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
      if (typeof method !== 'number') return [];
      const path = joinPath(pathOf(controller), pathOf(handler));
      return [
        {
          method: RequestMethod[method] ?? 'ALL',
          path,
          pattern: path.replaceAll(/:(\w+)/g, '{$1}'),
          parameters: path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : [])),
          handler: `${controller.name}.${name}`,
          access: Reflect.getMetadata(ACCESS, handler) as Access | undefined,
          errors: declaredErrors(handler),
        },
      ];
    });
  }
}
