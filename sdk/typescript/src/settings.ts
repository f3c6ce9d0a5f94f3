import { InvalidArgument } from './errors.js';

/** What a hook for logs sees of each attempt (0 is the first), never headers, bodies or credentials; of its answer `status` too, null where none came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly attempt: number;
  readonly status?: number | null;
  readonly request_id?: string | null;
  readonly ms?: number;
}

/** After how much silence a connection is dead, least and most wait before the next (milliseconds), how many events wait for their reader. */
const STREAMS = { silence: 35_000, reconnect: [200, 30_000] as readonly [number, number], queue: 10_000 };

export interface ClientOptions {
  /** Left out, `TRADING_PROXY_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** The access token of a session, in place of an API key; a function is asked before each attempt. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Milliseconds of one whole attempt; 60,000 by default. */
  readonly timeout?: number | undefined;
  /** How often what may be repeated is repeated; 2 by default. */
  readonly retries?: number | undefined;
  /** Allows `http:` to another machine: all on the way can read the key. */
  readonly insecure?: boolean | undefined;
  /** In place of the global one. A proxy is used only by one that you give. */
  readonly fetch?: typeof fetch | undefined;
  readonly onRequest?: ((seen: Seen) => void) | undefined;
  readonly onResponse?: ((seen: Seen) => void) | undefined;
  /** For tests. */
  readonly streams?: Partial<typeof STREAMS> | undefined;
}

export type Settings = ReturnType<typeof settingsOf>;

function fromEnvironment(name: string): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] ?? '';
}

function baseOf(text: string, isInsecure: boolean): string {
  if (!URL.canParse(text) || !/^https?:\/\/[^@?#]+$/.test(text))
    throw new InvalidArgument('Give the http(s): address of the service, or set TRADING_PROXY_URL.');
  const { protocol, hostname, origin, pathname } = new URL(text);
  if (protocol === 'http:' && !isInsecure && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname))
    throw new InvalidArgument('http: to another machine shows your key on the way: use https:, or say insecure: true.');
  return origin + pathname.replace(/\/$/, '');
}

/** Throws InvalidArgument. */
export function settingsOf(baseUrl: string | undefined, { apiKey, token, ...options }: ClientOptions) {
  const credential = apiKey ?? token ?? fromEnvironment('TRADING_PROXY_API_KEY');
  if (credential === '' || (apiKey !== undefined && token !== undefined))
    throw new InvalidArgument('Give apiKey or token, one of them, or set TRADING_PROXY_API_KEY.');
  return {
    ...options,
    // A function, so that no text of an object shows it.
    credential: typeof credential === 'function' ? credential : () => credential,
    baseUrl: baseOf(baseUrl ?? fromEnvironment('TRADING_PROXY_URL'), options.insecure === true),
    timeout: options.timeout ?? 60_000,
    retries: options.retries ?? 2,
    streams: { ...STREAMS, ...options.streams },
  };
}
