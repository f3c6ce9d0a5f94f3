import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerToken } from '../../access/bearer.js';
import type { Principal } from '../../access/principal.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { errorBody } from '../../platform/errors/error-body.js';
import { callerAddress } from '../../platform/http/caller-address.js';
import { currentRequest } from '../../platform/http/request-context.js';
import type { Subscription } from './channel.contract.js';
import { MarketShares } from './market-shares.js';
import { LiveStreams } from './live-streams.js';
import { StreamConnection } from './stream-connection.js';
import { refusalOfNeed, type StreamCaller, StreamGrants, type Verdict } from './stream-grants.js';
import { needOf, type NamedLine, StreamLines } from './stream-lines.js';
import { StreamMetrics } from './stream-metrics.js';
import { type PlaceOwner, StreamPlaces } from './stream-places.js';
import { writeHead } from './stream-writer.js';

/** A request whose caller the guard of the route has established. */
export type ReadRequest = Request & { readonly user?: Principal };

/** Who asks for a stream of what. */
export interface AskedStream {
  readonly request: ReadRequest;
  readonly response: Response;
  readonly subscriptions: readonly Subscription[];
}

/** Opens streams: all that is asked for is sure before the first byte, else the answer is an error as of any route (contract.md 5.14). */
@Injectable()
export class StreamsService {
  constructor(
    private readonly lines: StreamLines,
    private readonly live: LiveStreams,
    private readonly grants: StreamGrants,
    private readonly places: StreamPlaces,
    private readonly marketShares: MarketShares,
    private readonly metrics: StreamMetrics,
  ) {}

  /** Answers with a stream that goes on until its reader leaves, or may read no more. Of HEAD the header lines alone. */
  async answer(asked: AskedStream): Promise<void> {
    const { request, response, subscriptions } = asked;
    const principal = principalOf(request);
    assertAllowed(principal, subscriptions);
    if (request.method === 'HEAD') {
      writeHead(response);
      response.end();
      return;
    }
    this.live.assertOpen();
    await this.grants.announce();
    const caller = callerOf(request, principal, subscriptions);
    const release = this.#takePlace(await this.#ownerOf(caller), subscriptions);
    try {
      const opened = await this.lines.open(subscriptions, principal, request.get('last-event-id') ?? null);
      await this.#begin(asked, caller, opened, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #takePlace(owner: PlaceOwner, subscriptions: readonly Subscription[]): () => void {
    const leave = this.places.take(owner);
    try {
      const unfollow = this.marketShares.take(owner, subscriptions);
      return () => {
        leave();
        unfollow();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #ownerOf(caller: StreamCaller): Promise<PlaceOwner> {
    const { hasCredentials } = await this.#look(caller);
    const { principal, name } = caller;
    return { kind: principal.kind, userId: principal.userId, name, hasCredentials };
  }

  async #begin(
    { response }: AskedStream,
    { needs, ...who }: StreamCaller,
    opened: readonly NamedLine[],
    release: () => void,
  ): Promise<void> {
    const lines = opened.map(({ line }) => line);
    try {
      const versions = needs.map((need, at) => ({
        ...need,
        credentialsVersion: lines[at]?.credentialsVersion ?? null,
      }));
      const caller = { ...who, needs: versions };
      const verdict = await this.#look(caller);
      this.live.assertOpen();
      if (!response.closed) {
        this.#start({ response, caller, opened, verdict, release });
        return;
      }
    } catch (error) {
      for (const line of lines) line.close();
      throw error;
    }
    // The reader has left meanwhile.
    for (const line of lines) line.close();
    release();
  }

  #start({ response, caller, opened, verdict, release }: Ready): void {
    const requestId = currentRequest()?.id ?? '';
    const stream: StreamConnection = new StreamConnection(
      response,
      {
        caller,
        lines: opened.map(({ line }) => line),
        id: () => this.lines.idOf(caller.principal, opened),
        errorText: (error) => JSON.stringify({ type: 'error', ...errorBody(error, requestId) }),
        noteBytes: (bytes) => {
          this.metrics.noteBytes(bytes);
        },
        noteConflation: () => {
          this.metrics.noteConflation();
        },
        closed: (error) => {
          release();
          this.live.remove(stream);
          this.metrics.noteClosed(error?.code ?? null);
        },
      },
      verdict,
    );
    this.metrics.noteOpened(opened.map(({ channel }) => channel));
    this.live.add(stream);
    stream.start();
  }

  async #look(caller: StreamCaller): Promise<Verdict> {
    const [verdict] = await this.grants.look([caller]);
    if (verdict === undefined) throw new TypeError('A caller has no verdict.');
    if (verdict.refusal !== null) throw verdict.refusal;
    return verdict;
  }
}

/** A stream of which everything is sure. */
interface Ready extends Pick<AskedStream, 'response'> {
  readonly caller: StreamCaller;
  readonly opened: readonly NamedLine[];
  readonly verdict: Verdict;
  readonly release: () => void;
}

/** Throws `forbidden` where a key may not have one of them: the route itself asks for the scope `read` alone. */
function assertAllowed(principal: Principal, subscriptions: readonly Subscription[]): void {
  if (principal.kind === 'session') return;
  for (const subscription of subscriptions) {
    const refusal = refusalOfNeed(principal, needOf(subscription));
    if (refusal !== null) throw refusal;
  }
}

function principalOf({ user }: ReadRequest): Principal {
  if (user === undefined) throw new TypeError('A stream stands on a route without a credential.');
  return user;
}

function callerOf(request: Request, principal: Principal, subscriptions: readonly Subscription[]): StreamCaller {
  const token = bearerToken(request) ?? '';
  const name = principal.kind === 'session' ? principal.sessionId : sha256(token).toString('hex');
  return { principal, name, address: callerAddress(request), needs: subscriptions.map(needOf) };
}
