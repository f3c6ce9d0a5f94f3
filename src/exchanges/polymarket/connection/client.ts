import type { z } from 'zod';
import type { AppError } from '../../../platform/errors/app-error.js';
import {
  UpstreamError,
  type UpstreamClient,
  type UpstreamResponse,
} from '../../../platform/upstream/upstream-client.js';
import type { UpstreamClients } from '../../../platform/upstream/upstream-clients.js';
import type { Settings } from '../../../platform/config/settings.js';
import { UpstreamErrors, type UpstreamProblem } from '../../upstream-errors.js';
import { POLYMARKET_ERRORS } from '../polymarket.errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { POLYMARKET_SETTINGS } from '../polymarket.settings.js';

type Host = 'clob' | 'gamma' | 'data';

/** One public read below a host's base address. */
export interface PublicRead {
  readonly host: Host;
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** What one account has: public at the exchange, but trading never caches, so each read is a call of its own (DESIGN 5). */
  readonly ofAccount?: boolean;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer that has been checked, and when it came. */
export interface Received<T> {
  readonly value: T;
  readonly at: Date;
}

/** Polymarket's three APIs (polymarket.md 1): one client for each host, limited together, and the public reads of all of them. */
export class PolymarketApi {
  readonly #hosts: Readonly<Record<Host, UpstreamClient>>;
  readonly #errors = new UpstreamErrors(POLYMARKET_ERRORS);

  constructor(settings: Settings, clients: UpstreamClients) {
    const urls = settings.extension(POLYMARKET_SETTINGS);
    const common = { group: POLYMARKET, readFault: POLYMARKET_ERRORS.readFault };
    this.#hosts = {
      clob: clients.create({ ...common, name: 'polymarket-clob', baseUrl: urls.POLYMARKET_CLOB_URL }),
      gamma: clients.create({ ...common, name: 'polymarket-gamma', baseUrl: urls.POLYMARKET_GAMMA_URL }),
      data: clients.create({ ...common, name: 'polymarket-data', baseUrl: urls.POLYMARKET_DATA_URL }),
    };
  }

  get clob(): UpstreamClient {
    return this.#hosts.clob;
  }

  /** What the host answers. Throws AppError: `not_found`, `exchange_error`, … (unified.md 11). */
  async read<Schema extends z.ZodType>(read: PublicRead, schema: Schema): Promise<Received<z.output<Schema>>> {
    const response = await this.#request(read);
    if (!succeeded(response)) throw this.#failed(response);
    return { value: parseAnswer(schema, response, (problem) => this.#failed(problem)), at: response.receivedAt };
  }

  /** As `read`, but null where the host knows no such thing (404). */
  async find<Schema extends z.ZodType>(read: PublicRead, schema: Schema): Promise<Received<z.output<Schema> | null>> {
    const response = await this.#request(read);
    if (response.status === 404) return { value: null, at: response.receivedAt };
    if (!succeeded(response)) throw this.#failed(response);
    return { value: parseAnswer(schema, response, (problem) => this.#failed(problem)), at: response.receivedAt };
  }

  /** The error of an answer that contradicts itself or the request: `exchange_error`. */
  unusable(): AppError {
    return this.#failed(new UpstreamError('unreadable', true));
  }

  /** Reads the exchange's clock, which the CLOB client learns from the answer, before the first signed call (DESIGN 5). */
  async synchronise(): Promise<void> {
    await this.clob.clock.synchronise(() => this.#request({ host: 'clob', path: '/time' }));
  }

  async #request({ host, path, query = [], ofAccount = false, signal }: PublicRead): Promise<UpstreamResponse> {
    try {
      return await this.#hosts[host].request({
        method: 'GET',
        path,
        query,
        shared: !ofAccount,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#failed(error);
      throw error;
    }
  }

  #failed(problem: UpstreamProblem): AppError {
    return this.#errors.ofCall(problem, 'public');
  }
}

export function succeeded(response: UpstreamResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** The body as the schema gives it; throws what `failed` makes of an unreadable answer where it does not fit. */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: UpstreamResponse,
  failed: (problem: UpstreamError) => Error,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(response.body);
  if (success) return data;
  // The paths of what does not fit are logged with the cause; the answer itself is not.
  const places = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.')}: ${issue.code}`);
  const cause = new Error(`the answer does not fit its schema at ${places.join(', ')}`);
  throw failed(new UpstreamError('unreadable', true, { status: response.status, cause }));
}
