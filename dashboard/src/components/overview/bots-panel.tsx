import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { dayBefore, useMidnight } from '../../api/account.js';
import { useRefused } from '../../api/asked-orders.js';
import { type Bot, isLiving, useBots } from '../../api/bots.js';
import { BotState } from '../bots/facts.js';
import { DailyUsage } from '../bots/usage.js';
import { ForeignText } from '../foreign-text.js';
import { ageIn } from '../live.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Loaded, ui } from '../ui.js';

/** In pixels, before it is known. */
const HEIGHT = 200;

/** Whether somebody sees to its orders when it dies, as of when the service said so. */
function beatOf({ heartbeat, halted, usage }: Bot): string {
  if (heartbeat === null) return 'Off';
  const { missed_since: missed, last_beat_at: last, expires_at: until } = heartbeat;
  if (missed !== null) return 'Missed';
  if (halted !== null) return 'Not armed';
  if (until === null) return 'Off';
  if (last === null) return 'Armed';
  return `${ageIn(Math.max(0, Math.round((Date.parse(usage.as_of) - Date.parse(last)) / 1_000)))} ago`;
}

interface Refusals {
  readonly countOf: (bot: Bot) => number;
  /** Whether there may be more than were read. */
  readonly hasMore: boolean;
}

/** What there is to see of each, but for its refusals. */
const COLUMNS: readonly Column<Bot>[] = [
  {
    id: 'name',
    value: ({ name }) => name,
    drawn: {
      head: 'Bot',
      width: 120,
      narrow: 'name',
      cell: ({ id, name }) => (
        <Link to="/bots" hash={id}>
          <ForeignText text={name} />
        </Link>
      ),
    },
  },
  {
    id: 'state',
    value: ({ state }) => state,
    drawn: { head: 'State', width: 70, narrow: 5, cell: ({ state }) => <BotState state={state} /> },
  },
  { id: 'beat', value: beatOf, drawn: { head: 'Heartbeat', width: 76 } },
  {
    id: 'used',
    value: ({ usage }) => Object.values(usage.daily_risk)[0] ?? '0',
    drawn: { head: 'Used of its limits', width: 190, narrow: 7, cell: (bot) => <DailyUsage bot={bot} /> },
  },
  {
    id: 'open',
    value: ({ usage }) => String(usage.open_orders),
    drawn: {
      head: 'Orders',
      kind: 'number',
      width: 60,
      narrow: 3.5,
      cell: ({ id, name, usage }) => (
        <Link to="/portfolio" search={{ list: 'orders', bot: id }} aria-label={`${usage.open_orders} open of ${name}`}>
          {usage.open_orders}
        </Link>
      ),
    },
  },
];

function refusedColumn(refusals: Refusals | null): Column<Bot> {
  return {
    id: 'refused',
    value: (bot) => (refusals === null ? null : String(refusals.countOf(bot))),
    drawn: {
      head: 'Refused',
      kind: 'number',
      width: 60,
      narrow: 4,
      cell: (bot) => {
        if (refusals === null) return '–';
        const count = `${refusals.countOf(bot)}${refusals.hasMore ? '+' : ''}`;
        return (
          <Link
            to="/activity"
            search={{ list: 'orders', state: 'refused', bot: bot.id }}
            aria-label={`${count} refused of ${bot.name}`}
          >
            {count}
          </Link>
        );
      },
    },
  };
}

function BotTable({ bots }: { readonly bots: readonly Bot[] }): ReactNode {
  const refused = useRefused(dayBefore(useMidnight()), bots.length > 0);
  const { data } = refused;
  const columns = useMemo(() => {
    if (data === undefined) return [...COLUMNS, refusedColumn(null)];
    const countOf = ({ id }: Bot): number => data.rows.filter(({ bot_id: bot }) => bot === id).length;
    return [...COLUMNS, refusedColumn({ countOf, hasMore: data.hasMore })];
  }, [data]);
  return <Table label="Bots" columns={columns} rows={bots} keyOf={({ id }) => id} />;
}

/** What each program does, and what it used of what it may. */
export function BotsPanel(): ReactNode {
  const bots = useBots();
  return (
    <Card title="Bots" aside={<Link to="/bots">All bots</Link>}>
      <Loaded query={bots} height={HEIGHT}>
        {(data) => {
          const living = data.filter(isLiving);
          if (living.length === 0) {
            return (
              <p className={ui.soft}>
                None yet. Each of your programs can have a key of its own, limits that hold, and a switch to stop it.{' '}
                <Link to="/bots">Make a bot</Link>
              </p>
            );
          }
          return (
            <>
              <BotTable bots={living} />
              <p className={ui.hint}>
                Used: the risk of this UTC day, and of other limits those that are nearly full. Refused: since
                yesterday.
              </p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
