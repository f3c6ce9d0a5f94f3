import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';

const CALL_MS = 5_000;
const CONNECT_MS = 2_000;
const MAX_BYTES = 262_144;
const USER_AGENT = 'trading-proxy';

/** A call to a sign-in provider without a usable answer (S-15). */
export class ProviderCallError extends Error {
  override readonly name = 'ProviderCallError';

  constructor(
    readonly failure: 'timeout' | 'broken',
    options?: ErrorOptions,
  ) {
    super(`call to the provider failed: ${failure}`, options);
  }
}

/** One call to a provider. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back. */
export interface ProviderResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Calls sign-in providers: 5 s in all, 256 KiB, no redirects, no compressed bodies (S-15). */
@Injectable()
export class ProviderHttp implements OnModuleDestroy {
  readonly #agent = new Agent({ connect: { timeout: CONNECT_MS }, connections: 20 });

  async onModuleDestroy(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Whatever the status, redirects excepted. Throws ProviderCallError. */
  async call(url: string, call: ProviderRequest): Promise<ProviderResponse> {
    const signal = AbortSignal.timeout(CALL_MS);
    try {
      return await this.#send(url, call, signal);
    } catch (cause) {
      if (cause instanceof ProviderCallError) throw cause;
      throw new ProviderCallError(signal.aborted || isTimeout(cause) ? 'timeout' : 'broken', { cause });
    }
  }

  async #send(url: string, call: ProviderRequest, signal: AbortSignal): Promise<ProviderResponse> {
    const answer = await request(url, {
      dispatcher: this.#agent,
      method: call.method,
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
      signal,
    });
    // A body that is destroyed before its end emits an error that has no other listener.
    answer.body.on('error', () => undefined);
    if (!isUsable(answer)) {
      answer.body.destroy();
      throw new ProviderCallError('broken');
    }
    const contentType = String(answer.headers['content-type'] ?? '');
    return { status: answer.statusCode, contentType, text: await readCapped(answer.body) };
  }
}

function isUsable({ statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>): boolean {
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return !isRedirect && ['', 'identity'].includes(String(headers['content-encoding'] ?? ''));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).endsWith('_TIMEOUT');
}

async function readCapped(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new ProviderCallError('broken');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
