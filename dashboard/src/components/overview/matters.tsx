import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Account } from '../../api/account.js';
import { type AskedRows, nameOf } from '../../api/asked-orders.js';
import { type Bot, isAtWork } from '../../api/bots.js';
import type { Schemas } from '../../api/client.js';
import type { Markets } from '../../api/markets.js';
import { explain } from '../../api/explain.js';
import { installation } from '../../installation.js';
import { AskedTerms, askedTitle } from '../asked.js';
import { ResumeBot } from '../bots/actions.js';
import { restOfHalt, whyHalted } from '../bots/words.js';
import { type Warning, warningWords } from '../credentials/warnings.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { Time } from '../time.js';
import { Button, useSecondsUntil } from '../ui.js';

/** Something that its owner should see to. */
export interface Matter {
  readonly key: string;
  readonly text: ReactNode;
  /** What can be done. */
  readonly act?: ReactNode;
}

/** Bots that send no order, and removed ones of which orders may rest. */
export function haltedMatters(bots: readonly Bot[]): Matter[] {
  return bots.filter(isAtWork).flatMap((bot) => {
    const { id, name, halted, heartbeat, state } = bot;
    const missed = heartbeat?.missed_since ?? null;
    if (halted === null && missed === null) return [];
    const why =
      halted === null ? (
        <>has missed its heartbeat{missed === null ? '' : <>, {<Time iso={missed} />}</>}</>
      ) : (
        <>
          {state === 'removed' ? 'was removed' : 'is halted'}: {whyHalted(halted.reason)}, <Time iso={halted.at} />
        </>
      );
    return [
      {
        key: id,
        text: (
          <>
            The bot <ForeignText text={name} form="quoted" /> {why}. {restOfHalt(bot)}
          </>
        ),
        act: (
          <>
            <Link to="/bots" hash={id} aria-label={`See it: ${name}`}>
              See it
            </Link>
            {state === 'halted' ? <ResumeBot bot={bot} /> : null}
          </>
        ),
      },
    ];
  });
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function clockOf(seconds: number): string {
  const parts = [Math.floor((seconds % HOUR_S) / MINUTE_S), seconds % MINUTE_S];
  const hours = Math.floor(seconds / HOUR_S);
  return (hours > 0 ? [hours, ...parts] : parts)
    .map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0')))
    .join(':');
}

/** Counts down to when it is certain that nothing of an order shows any more. */
function CertainIn({ holdsAt }: { readonly holdsAt: string | null }): ReactNode {
  const seconds = useSecondsUntil(holdsAt === null ? 0 : Date.parse(holdsAt));
  if (holdsAt === null) return <>No time says when that is certain.</>;
  if (seconds === 0) return <>That is certain by now: the service looks it up once more.</>;
  return (
    <>
      Certain in <span role="timer">{clockOf(seconds)}</span> at the latest.
    </>
  );
}

/** Orders and transfers of unknown fate. */
export function doubtfulMatters({ rows, hasMore }: AskedRows, markets: Markets, bots: readonly Bot[]): Matter[] {
  const more = { key: 'more of unknown fate', text: `More than ${rows.length} orders are of unknown fate.` };
  const matters = rows.map((asked): Matter => {
    const { id, exchange, bot_id: botId, refusal_holds_at: holdsAt } = asked;
    const bot = bots.find((one) => one.id === botId);
    const title = askedTitle(asked, markets);
    return {
      key: id,
      text: (
        <>
          Not known whether {exchangeName(exchange)} took {asked.kind === 'order' ? 'an order: ' : 'a transfer '}
          <AskedTerms asked={asked} markets={markets} />
          {title === '' ? '' : <>, {<ForeignText form="quoted" text={title} />}</>}
          {bot === undefined ? '' : <>, by the bot {<ForeignText form="quoted" text={bot.name} />}</>}.{' '}
          <CertainIn holdsAt={holdsAt} />
        </>
      ),
      act:
        asked.kind === 'order' ? (
          <Link to="/activity/orders/$id" params={{ id: nameOf(asked) }}>
            Look it up
          </Link>
        ) : null,
    };
  });
  return hasMore ? [...matters, more] : matters;
}

function ToCredentials({ id, label }: { readonly id: string; readonly label: string }): ReactNode {
  return (
    <Link to="/credentials" hash={id}>
      {label}
    </Link>
  );
}

/** Exchanges that could not be read, those that refuse the credentials among them. */
export function accountMatters({ exchanges }: Account, onRetry: () => void): Matter[] {
  return exchanges.flatMap(({ exchange, error }) => {
    if (error === null || error.code === 'credentials_not_configured') return [];
    const name = exchangeName(exchange);
    if (error.code === 'credentials_rejected') {
      const text = `${name} refuses the stored credentials: nothing of yours can be read or sent there.`;
      return [{ key: `account ${exchange}`, text, act: <ToCredentials id={exchange} label="Replace them" /> }];
    }
    const act = (
      <Button isSmall onClick={onRetry}>
        Try again
      </Button>
    );
    return [{ key: `account ${exchange}`, text: `${name} could not be read. What is shown of it is missing.`, act }];
  });
}

/** What a key is warned of though nothing is wrong. */
const NO_MATTER = new Set<Warning>(['can_transfer']);

function endOf(warning: Warning, { key, session_key: session }: Schemas['CredentialStatusDto']): string | null {
  if (warning === 'session_key_expiring') return session?.valid_until ?? null;
  return warning === 'attestation_expiring' ? (key?.attestation_expires_at ?? null) : null;
}

/** What the stored credentials lack, or soon do. */
export function credentialMatters(stored: Schemas['CredentialListDto']['exchanges']): Matter[] {
  return installation.exchanges.flatMap((exchange) => {
    const status = stored[exchange.id];
    const warnings = status?.warnings.filter((warning) => !NO_MATTER.has(warning)) ?? [];
    return warnings.map((warning) => {
      const end = status === undefined ? null : endOf(warning, status);
      return {
        key: `${exchange.id} ${warning}`,
        text: (
          <>
            {exchange.name}: {warningWords(warning, exchange).means}
            {end === null ? '' : <> It ends {<Time iso={end} />}.</>}
          </>
        ),
        act: (
          <ToCredentials
            id={warning === 'session_key_expiring' ? 'session-key' : exchange.id}
            label={warning === 'session_key_expiring' ? 'Renew it' : 'See them'}
          />
        ),
      };
    });
  });
}

interface QueryLike {
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** What could not be read, so that nobody knows whether all is well. */
export function unreadMatters(queries: Readonly<Record<string, QueryLike>>): Matter[] {
  return Object.entries(queries)
    .filter(([, { error }]) => error !== null)
    .map(([what, { error, refetch }]) => ({
      key: `unread ${what}`,
      text: `${what} could not be read: ${explain(error).happened}`,
      act: (
        <Button isSmall onClick={() => void refetch()}>
          Try again
        </Button>
      ),
    }));
}
