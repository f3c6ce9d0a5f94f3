import { Agent, type IncomingMessage, request as callOn, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type ArrivedRequest, type FakeAnswer, FakeServer } from './fake-server.js';

const ARRIVAL_LIMIT_MS = 20_000;

/** What to do instead of passing a request on. */
export type Misbehaviour = (response: ServerResponse) => void;

interface Rule {
  readonly path: string;
  readonly method: string | undefined;
  readonly act: (response: ServerResponse, request: ArrivedRequest) => void;
}

/** What a gateway keeps. */
export interface Held {
  readonly release: () => void;
}

/** Answers JSON itself. */
export function json(status: number, body: unknown): Misbehaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

/**
 * Stands between the service and one server of the sandbox, counts what arrives, and misbehaves in ways that a JSON server
 * cannot: raw bytes, compressed bombs, answers that drip.
 */
export class Gateway {
  readonly #agent = new Agent({ keepAlive: true });
  #rules: Rule[] = [];
  /** Added to every answer. */
  extraHeaders: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly target: URL,
    private readonly server: FakeServer,
  ) {
    server.otherwise = (request, response) => this.#answer(request, response);
  }

  /** `address` may have a path, which `url` then has too. */
  static async to(address: string): Promise<Gateway> {
    return new Gateway(new URL(address), await FakeServer.start());
  }

  get url(): string {
    return `${this.server.url}${this.target.pathname}`.replace(/\/$/, '');
  }

  get arrived(): readonly ArrivedRequest[] {
    return this.server.arrived;
  }

  /** For requests (of one method) whose path holds `path`, until `heal`. */
  misbehave(path: string, act: Misbehaviour, method?: string): void {
    this.#rules.push({ path, act, method });
  }

  /** Passes requests of one method whose path holds `path` on, and answers itself in the place of what comes back. */
  answerInstead(path: string, act: Misbehaviour, method: string): void {
    const passAndAct = (response: ServerResponse, request: ArrivedRequest): void => {
      this.#forward(request, response, (answer) => {
        answer.resume().on('end', () => {
          act(response);
        });
      });
    };
    this.#rules.push({ path, act: passAndAct, method });
  }

  /** Passes GETs whose path holds `path` on, and answers what `change` makes of the JSON that comes back. */
  rewrite(path: string, change: (body: unknown, target: string) => unknown): void {
    const act = (response: ServerResponse, request: ArrivedRequest): void => {
      const headers = { ...request.headers, 'accept-encoding': 'identity' };
      this.#forward({ ...request, headers }, response, (answer) => {
        readJson(answer)
          .then((body) => {
            json(answer.statusCode ?? 502, change(body, request.target))(response);
          })
          .catch(() => response.destroy());
      });
    };
    this.#rules.push({ path, method: 'GET', act });
  }

  /** Keeps requests of one method whose path holds `path` from now on, at most so many, and passes them on at `release`. */
  hold(method: string, path: string, times = Infinity): Held {
    return this.#keep({ method, path, times }, (request, response) => () => {
      this.#pass(request, response);
    });
  }

  /** Passes such requests on at once, and keeps what comes back until `release`. */
  holdAnswers(method: string, path: string, times = Infinity): Held {
    return this.#keep({ method, path, times }, (request, response) => {
      const passBack = new Promise<() => void>((resolve) => {
        this.#forward(request, response, (answer) => {
          resolve(() => {
            this.#passBack(answer, response);
          });
        });
      });
      return () =>
        void passBack.then((back) => {
          back();
        });
    });
  }

  heal(): void {
    this.#rules = [];
    this.extraHeaders = {};
  }

  /** How many requests with this method to a path that holds `path` have come. */
  count(method: string, path: string): number {
    return this.arrived.filter((one) => one.method === method && one.target.includes(path)).length;
  }

  /** Until so many requests with this method to a path that holds `path` have come in all. */
  async hasCome(method: string, path: string, times: number): Promise<void> {
    const deadline = Date.now() + ARRIVAL_LIMIT_MS;
    while (this.count(method, path) < times) {
      if (Date.now() > deadline) throw new Error(`${method} ${path} did not come`);
      await delay(5);
    }
  }

  /** Closes all connections and refuses new ones, while `work` runs. */
  refusing<T>(work: () => Promise<T>): Promise<T> {
    return this.server.loopback.refusing(work);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.server.close();
  }

  #answer(request: ArrivedRequest, response: ServerResponse): FakeAnswer {
    const { method, target } = request;
    const rule = this.#rules.find(
      (one) => target.includes(one.path) && (one.method === undefined || one.method === method),
    );
    if (rule === undefined) this.#pass(request, response);
    else {
      for (const [name, value] of Object.entries(this.extraHeaders)) response.setHeader(name, value);
      rule.act(response, request);
    }
    return 'hang';
  }

  #keep(
    { method, path, times }: { readonly method: string; readonly path: string; readonly times: number },
    keep: (request: ArrivedRequest, response: ServerResponse) => () => void,
  ): Held {
    const kept: (() => void)[] = [];
    const end = (): void => {
      this.#rules = this.#rules.filter((rule) => rule !== keeping);
    };
    const keeping: Rule = {
      path,
      method,
      act: (response, request) => {
        kept.push(keep(request, response));
        if (kept.length === times) end();
      },
    };
    this.#rules.push(keeping);
    return {
      release: () => {
        end();
        for (const passOn of kept.splice(0)) passOn();
      },
    };
  }

  #pass(request: ArrivedRequest, response: ServerResponse): void {
    this.#forward(request, response, (answer) => {
      this.#passBack(answer, response);
    });
  }

  #passBack(answer: IncomingMessage, response: ServerResponse): void {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...this.extraHeaders });
    answer.pipe(response);
  }

  #forward(
    { method, target, headers, body }: ArrivedRequest,
    response: ServerResponse,
    take: (answer: IncomingMessage) => void,
  ): void {
    const { hostname, port } = this.target;
    const options = { hostname, port, method, path: target, headers, agent: this.#agent };
    const onward = callOn(options, take);
    onward.on('error', () => {
      response.socket?.resetAndDestroy();
    });
    onward.end(body);
  }
}
