import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { isCounted, routeErrors } from './access/route-errors.js';
import { type RouteFacts, RouteTable } from './access/route-table.js';
import { EXCHANGE_NAMES } from './exchanges/exchange-docs.js';
import { ErrorDto } from './platform/errors/error.dto.js';
import { errorResponses } from './platform/errors/error-responses.js';
import { errorExamples } from './platform/errors/error-examples.js';
import { exemplify } from './platform/openapi/answer-examples.js';
import { ANSWER_HEADERS, headers } from './platform/openapi/answer-headers.js';
import { closeBody } from './platform/openapi/closed-bodies.js';
import type { Answer, ApiDocument, Operation } from './platform/openapi/document.js';
import { streamSchemas } from './proxy/streams/stream-schemas.js';

const DESCRIPTION = `One set of paths and shapes for ${EXCHANGE_NAMES}.

**Two kinds of token**, both sent as \`Authorization: Bearer …\`: an *API key* (from \`POST /account/api-keys\`, or of a bot from \`POST /account/bots\`) for
\`/me\` and \`/{exchange}/*\`, and an *access token* (from \`POST /auth/login\`) for \`/account/*\`, which on \`/{exchange}/*\` reads and cancels
too. Press *Authorize* and paste them.

Prices, sizes and money are decimal strings; times are ISO 8601 in UTC; unknown is \`null\`. Every error has the same body.`;

/** One tag a resource, in the order in which Swagger UI shows them. */
const TAGS: Readonly<Record<string, string>> = {
  auth: 'Signing up, in and out, and setting a password again.',
  sessions: 'The devices that are signed in.',
  account: 'Who you are, and what happened to your account and in your name.',
  'api-keys': 'The key that your programs send.',
  bots: 'Programs of yours with a key, limits and a switch each.',
  credentials: 'What the service signs with at the exchanges. It is stored once and never shown again.',
  markets: 'Questions with two outcomes, and their quotes.',
  events: 'Groups of markets that belong together.',
  orderbooks: 'What is offered of an outcome, and at what price.',
  trades: 'Public trades of a market.',
  candlesticks: 'Prices of an outcome over time.',
  streams: 'What changes, told as it happens (streams.md).',
  orders: 'Placing, reading and cancelling your orders.',
  fills: 'Executions of your orders.',
  positions: 'What you hold of each outcome.',
  balance: 'Your money at an exchange.',
  portfolio: 'What you have at all exchanges at once.',
  transfers: 'Money that moves between two shards of your account at an exchange.',
  operations: 'For load balancers and whoever watches the service.',
};

const FORGETFUL: DocsOptions = { persistAuthorization: false };

/** What the document says of a route; undefined where it leaves the route out, as it does the pages. */
function operationOf(document: ApiDocument, { method, pattern }: RouteFacts): Operation | undefined {
  return document.paths[pattern]?.[method.toLowerCase()];
}

/** Refusals of a body that is not read, before anything is counted or looked up. */
const BEFORE_COUNT = ['413', '415'];
/** Answers that are kept under an `Idempotency-Key` (contract.md 5). */
const KEPT = ['200', '400', '404', '422'];

/** The headers that an answer of a route has beside those of its errors. */
function headersOf(route: RouteFacts, { parameters = [] }: Operation, status: string): Answer['headers'] {
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    ...headers('X-Request-Id'),
    ...(isCounted(route) && !BEFORE_COUNT.includes(status) && headers('RateLimit', 'RateLimit-Policy')),
    ...(isKeyed && KEPT.includes(status) && headers('Idempotency-Replayed')),
  };
}

/** Adds to an operation what follows from its route; what the controller itself says of a status stays. */
function complete(document: ApiDocument, route: RouteFacts): void {
  const operation = operationOf(document, route);
  if (operation === undefined) return;
  if (route.access?.kind === 'public') operation.security ??= [];
  operation.responses = { ...errorResponses(routeErrors(route)), ...operation.responses };
  for (const [status, answer] of Object.entries(operation.responses)) {
    answer.headers = { ...headersOf(route, operation, status), ...answer.headers };
    exemplify(document, answer);
  }
  closeBody(document, operation);
}

/** Adds what the operations refer to: the headers, and the examples of all errors that an operation may answer. */
function addComponents({ components }: ApiDocument, routes: readonly RouteFacts[]): void {
  components.headers = ANSWER_HEADERS;
  components.examples = errorExamples([...new Set(routes.flatMap(routeErrors))].sort());
}

/** The OpenAPI document of every route. Needs no provider of the application. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trading Proxy')
    .setDescription(DESCRIPTION)
    .setVersion('0.1.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From POST /auth/login.' },
      'access-token',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'svc_sk_live_…', description: 'Your API key.' },
      'api-key',
    )
    .addCookieAuth(
      'refresh_token',
      { type: 'apiKey', in: 'cookie', description: 'Set by every sign-in; browsers send it by themselves.' },
      'refresh_token',
    );
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [ErrorDto],
    // Each method of a controller has the name that clients call it by: api.md lists them.
    autoTagControllers: false,
    operationIdFactory: (_controller, method) => method,
  });
  const routes = new RouteTable(new DiscoveryService(app.get(ModulesContainer)), new MetadataScanner()).list();
  const described = document as unknown as ApiDocument;
  described.info.license = { name: 'MIT', identifier: 'MIT' };
  Object.assign(described.components.schemas, streamSchemas(described.components.schemas));
  for (const route of routes) complete(described, route);
  addComponents(described, routes);
  return document;
}

/** How Swagger UI behaves. */
export interface DocsOptions {
  /** Keeps a pasted key in the browser's local storage, after the tab has closed; for keys that are worth nothing. */
  readonly persistAuthorization: boolean;
}

/**
 * Swagger UI at `/docs`, its document at `/docs/openapi.json` (contract.md 8). A pasted key ends with its tab: only whoever builds
 * the service can say otherwise, no setting can.
 */
export function setUpDocs(app: INestApplication, { persistAuthorization }: DocsOptions = FORGETFUL): void {
  SwaggerModule.setup('docs', app, () => buildDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Trading Proxy',
    swaggerOptions: { persistAuthorization, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
