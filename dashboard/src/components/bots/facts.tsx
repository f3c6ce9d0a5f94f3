import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Bot } from '../../api/bots.js';
import { Amount } from '../amount.js';
import { Time } from '../time.js';
import { Notice, ui } from '../ui.js';
import css from './bots.module.css';
import { exchangesText, restOfHalt, secondsText, whyHalted } from './words.js';

const STATES: Readonly<Record<Bot['state'], string>> = {
  active: 'Active',
  halted: 'Halted',
  expired: 'Ended',
  removed: 'Removed',
};

export function BotState({ state }: Pick<Bot, 'state'>): ReactNode {
  return (
    <span className={css.badge} data-state={state}>
      {STATES[state]}
    </span>
  );
}

/** Why it sends no order, since when, and whether something of it may still rest. */
export function HaltFacts({ bot }: { readonly bot: Bot }): ReactNode {
  const { halted } = bot;
  if (halted === null) return null;
  const rest = restOfHalt(bot);
  return (
    <Notice kind={rest === null ? 'note' : 'bad'}>
      <span>
        <strong>It sends no order:</strong> {whyHalted(halted.reason)}, <Time iso={halted.at} />.
      </span>
      {rest === null ? null : <span>{rest}</span>}
    </Notice>
  );
}

const OFF = 'Off: nothing protects you from this program when it dies.';

/** Whether somebody sees to its orders when it dies (contract.md 5.13). */
function Heartbeat({ bot }: { readonly bot: Bot }): ReactNode {
  const { heartbeat, halted } = bot;
  if (heartbeat === null) return OFF;
  const { expires_at: until, missed_since: missed, last_beat_at: last, on_miss: onMiss, ttl_seconds: ttl } = heartbeat;
  if (halted !== null) {
    return `Not armed while it is halted. To resume it arms the switch anew for ${secondsText(ttl)}.`;
  }
  if (missed !== null) {
    return (
      <>
        <strong>Missed</strong> since <Time iso={missed} />: its orders are cancelled and refused until it beats again.
      </>
    );
  }
  if (until === null) return OFF;
  return (
    <>
      Armed until <Time iso={until} />: then its orders are cancelled{onMiss === 'halt' ? ', and it is halted' : ''}.
      {last === null ? null : (
        <>
          {' '}
          Last beat <Time iso={last} />.
        </>
      )}
    </>
  );
}

function Keys({ keys }: Pick<Bot, 'keys'>): ReactNode {
  if (keys.length === 0) return 'None that lives';
  return keys.map(({ prefix, last_used_at: used, valid_until: until }) => (
    <p key={prefix}>
      <code>{prefix}…</code> {used === null ? 'never used' : <>last used {<Time iso={used} />}</>}
      {until === null ? null : <>, ends {<Time iso={until} />}</>}
    </p>
  ));
}

function Markets({ markets }: Pick<Bot, 'markets'>): ReactNode {
  if (markets === null) return 'All markets';
  return markets.map(({ exchange, market_id: market, event_id: event, series_id: series }) => (
    <p key={`${exchange} ${market ?? ''} ${event ?? ''} ${series ?? ''}`}>
      <code>{market ?? event ?? series}</code> {market === undefined ? (event === undefined ? 'series' : 'event') : ''}
    </p>
  ));
}

/** The limits that have no bar. */
function Rules({ limits }: Pick<Bot, 'limits'>): ReactNode {
  const {
    max_order_seconds: seconds,
    max_order_risk: risk,
    max_position: position,
    max_price_distance: distance,
    max_requests_per_minute: requests,
  } = limits;
  return (
    <>
      <dt>Orders end</dt>
      <dd>{seconds === null ? 'Never by themselves' : `By themselves after ${secondsText(seconds)}`}</dd>
      <dt>Risk of an order</dt>
      <dd>{risk === null ? 'No limit' : <Amount value={risk} />}</dd>
      <dt>Size of a market</dt>
      <dd>{position === null ? 'No limit' : <Amount value={position} />}</dd>
      <dt>Distance of a price</dt>
      <dd>{distance === null ? 'No limit' : <Amount value={distance} />}</dd>
      <dt>Requests a minute</dt>
      <dd>{requests ?? 'Half of yours'}</dd>
    </>
  );
}

/** What the bot is, and what it may. */
export function BotFacts({ bot }: { readonly bot: Bot }): ReactNode {
  const { usage, scopes, exchanges, allowed_networks: networks, expires_at: end } = bot;
  return (
    <>
      <dl className={ui.facts}>
        <dt>Heartbeat</dt>
        <dd>
          <Heartbeat bot={bot} />
        </dd>
        <dt>Unsettled orders</dt>
        <dd>
          {usage.unsettled_orders === 0
            ? 'None'
            : `${usage.unsettled_orders}: what became of them, or what filled, is not proved yet`}
        </dd>
        <dt>May</dt>
        <dd>
          {scopes.includes('trade') ? 'Trade' : 'Read'}: {exchangesText(exchanges)}
        </dd>
        <dt>Keys</dt>
        <dd>
          <Keys keys={bot.keys} />
        </dd>
        <dt>What it did</dt>
        <dd className={ui.row}>
          <Link to="/portfolio" search={{ list: 'orders', bot: bot.id }}>
            Open orders
          </Link>
          <Link to="/portfolio" search={{ list: 'fills', bot: bot.id }}>
            Fills
          </Link>
          <Link to="/activity" search={{ list: 'orders', state: 'refused', bot: bot.id }}>
            Refusals
          </Link>
        </dd>
        <dt>Ends</dt>
        <dd>{end === null ? 'Never by itself' : <Time iso={end} />}</dd>
      </dl>
      <details className={css.more}>
        <summary>More of what it may</summary>
        <dl className={ui.facts}>
          <Rules limits={bot.limits} />
          <dt>Markets</dt>
          <dd>
            <Markets markets={bot.markets} />
          </dd>
          <dt>Networks</dt>
          <dd>{networks === null ? 'Everywhere' : networks.map((network) => <p key={network}>{network}</p>)}</dd>
          <dt>Made</dt>
          <dd>
            <Time iso={bot.created_at} />
          </dd>
        </dl>
      </details>
    </>
  );
}
