import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { dayBefore, useMidnight } from '../../api/account.js';
import { type Asked, useRefused } from '../../api/asked-orders.js';
import { isLiving, useBots } from '../../api/bots.js';
import { useMarkets } from '../../api/markets.js';
import { type Exchange, type ExchangeList, type Fill, type Settlement, useLists } from '../../api/portfolio.js';
import { sumKnown } from '../../api/worth.js';
import { moneyPlaces } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { listed } from '../names.js';
import { marketsIn, marketTitle, outcomeLabel, Result } from '../portfolio/cells.js';
import { Time } from '../time.js';
import { Card, ui } from '../ui.js';
import css from './overview.module.css';

/** Settlements that are named. */
const NAMED = 3;

function countText(count: number, [one, several]: readonly [string, string]): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** What some lists hold together. */
interface Lately<T> {
  readonly rows: readonly T[];
  /** What more there may be, in words. */
  readonly more: string;
  readonly isCut: boolean;
  readonly isRead: boolean;
}

function latelyIn<T>(lists: readonly ExchangeList<T>[]): Lately<T> {
  const unread = lists.filter(({ error }) => error !== null);
  const isCut = lists.some(({ hasMore }) => hasMore);
  const texts = [
    isCut ? ' or more' : '',
    unread.length === 0
      ? ''
      : `, and what ${listed(unread.map(({ exchange }) => exchange.name))} does not tell just now`,
  ];
  return {
    rows: lists.flatMap(({ rows = [] }) => rows),
    more: texts.join(''),
    isCut,
    isRead: lists.every(({ rows, error }) => rows !== undefined || error !== null),
  };
}

interface RowProps {
  readonly name: string;
  readonly isRead: boolean;
  readonly children: ReactNode;
}

function Row({ name, isRead, children }: RowProps): ReactNode {
  return (
    <div className={css.lately}>
      <dt>{name}</dt>
      <dd>{isRead ? children : 'Reading…'}</dd>
    </div>
  );
}

/** Won and lost by settlements, in each currency by itself. */
function Realised({ settlements, exchanges, isCut }: SettledProps): ReactNode {
  const currencies = [...new Set(exchanges.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = exchanges.filter((one) => one.currency === currency).map(({ id }) => id as string);
    const rows = settlements.filter(({ exchange }) => own.includes(exchange));
    if (rows.length === 0) return null;
    const { value, unknown } = sumKnown(rows.map((row) => row.realized_pnl));
    return (
      <div key={currency}>
        {value === null ? 'result not known' : <Result value={value} places={moneyPlaces([value])} />}
        {value !== null && (unknown > 0 || isCut) ? ' + ?' : ''} {currency}
      </div>
    );
  });
}

interface SettledProps {
  readonly settlements: readonly Settlement[];
  readonly exchanges: readonly Exchange[];
  /** Whether there are more that were not read. */
  readonly isCut: boolean;
}

function Settled({ exchanges, start }: PartProps): ReactNode {
  const lists = useLists('settlements', exchanges, { start });
  const markets = useMarkets(
    useMemo(() => marketsIn(lists, ({ title }) => title === null), [lists]),
    Infinity,
  );
  const { rows, more, isCut, isRead } = latelyIn(lists);
  const newest = [...rows].sort((a, b) => Date.parse(b.settled_at) - Date.parse(a.settled_at)).slice(0, NAMED);
  return (
    <Row name="Settled" isRead={isRead}>
      <Link to="/portfolio" search={{ list: 'settlements', start }}>
        {countText(rows.length, ['position', 'positions'])}
      </Link>
      {more}
      <Realised settlements={rows} exchanges={exchanges} isCut={isCut} />
      <ul className={css.named}>
        {newest.map((row, at) => (
          <li key={`${row.exchange} ${row.market_id} ${row.outcome?.id ?? ''} ${at}`}>
            <ForeignText text={`${marketTitle(row, markets)}: ${outcomeLabel(row, markets)}`} />
            <span className={ui.number}>
              {row.realized_pnl === null ? (
                '–'
              ) : (
                <>
                  <Result value={row.realized_pnl} places={moneyPlaces([row.realized_pnl])} />{' '}
                  {exchanges.find(({ id }) => id === row.exchange)?.currency}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Row>
  );
}

function botsText(fills: readonly Fill[]): string {
  const bots = new Set(fills.flatMap(({ bot_id: bot }) => bot ?? []));
  return bots.size === 0 ? '' : `, ${countText(bots.size, ['bot', 'bots'])}`;
}

function Filled({ exchanges, start }: PartProps): ReactNode {
  const { rows: all, more, isRead } = latelyIn(useLists('fills', exchanges, { start }));
  // A trade that failed did not happen.
  const rows = all.filter(({ status }) => status !== 'failed');
  const orders = new Set(rows.map(({ exchange, order_id: id }) => `${exchange} ${id}`));
  return (
    <Row name="Filled" isRead={isRead}>
      <Link to="/portfolio" search={{ list: 'fills', start }}>
        {countText(rows.length, ['fill', 'fills'])}
      </Link>
      {more}
      {rows.length === 0 ? '' : ` of ${countText(orders.size, ['order', 'orders'])}${botsText(rows)}`}
    </Row>
  );
}

/** How often each reason was given, the most frequent first. */
function reasonsIn(refused: readonly Asked[]): [reason: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { reason } of refused) counts.set(reason ?? 'not stated', (counts.get(reason ?? 'not stated') ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function Refused({ start }: Pick<PartProps, 'start'>): ReactNode {
  const bots = useBots();
  const { data, error } = useRefused(start, bots.data?.some(isLiving) === true);
  const { rows, hasMore } = data ?? { rows: [], hasMore: false };
  return (
    <Row name="Refused" isRead={data !== undefined || error !== null}>
      {data === undefined ? (
        'not known: the list could not be read'
      ) : (
        <Link to="/activity" search={{ list: 'orders', state: 'refused', start }}>
          {countText(rows.length, ['order', 'orders'])}
        </Link>
      )}
      {hasMore ? ' or more' : ''}
      {data !== undefined && error !== null ? ', as it was read last' : ''}
      <ul className={css.named}>
        {reasonsIn(rows).map(([reason, count]) => (
          <li key={reason}>
            {reason.replaceAll('_', ' ')}
            <span className={ui.number}>{count}</span>
          </li>
        ))}
      </ul>
    </Row>
  );
}

interface PartProps {
  readonly exchanges: readonly Exchange[];
  /** ISO 8601. */
  readonly start: string;
}

/** What happened since the day before began. */
export function SinceYesterday({ exchanges }: Pick<PartProps, 'exchanges'>): ReactNode {
  const start = dayBefore(useMidnight());
  return (
    <Card
      title="Since yesterday"
      aside={
        <span className={ui.hint}>
          from <Time iso={start} />
        </span>
      }
    >
      <dl className={css.latelyAll}>
        <Settled exchanges={exchanges} start={start} />
        <Filled exchanges={exchanges} start={start} />
        <Refused start={start} />
      </dl>
    </Card>
  );
}
