import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { written } from '../../address.js';
import { type Asked, nameOf, useAsked } from '../../api/asked-orders.js';
import { type Bot, useBots } from '../../api/bots.js';
import { type Markets, useMarkets } from '../../api/markets.js';
import type { TimeSpan } from '../../api/portfolio.js';
import { installation } from '../../installation.js';
import { AskedTerms, askedTitle, marketsOf } from '../asked.js';
import { BotSelect } from '../bots/bot-select.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { Days, isBounded, SpanText } from '../portfolio/days.js';
import { Select } from '../select.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Button, Card, Loaded, ui } from '../ui.js';
import { ASKED_STATES, type AskedState, type ListProps } from './search.js';

const STATES: Readonly<Record<AskedState, string>> = {
  refused: 'Refused',
  unknown: 'Of unknown fate',
  sending: 'On their way',
  made: 'Made',
  closed: 'Over',
  abandoned: 'Given up',
};
const STATE: Readonly<Record<string, string>> = {
  ...{ begun: 'Not sent yet', refused: 'Refused', unknown: 'Not known', sending: 'On its way' },
  ...{ made: 'Made', closed: 'Over', abandoned: 'Given up' },
};

function What({ asked, markets }: { readonly asked: Asked; readonly markets: Markets }): ReactNode {
  const title = askedTitle(asked, markets);
  const terms = <AskedTerms asked={asked} markets={markets} />;
  return (
    <>
      {asked.kind === 'order' ? (
        <Link to="/activity/orders/$id" params={{ id: nameOf(asked) }}>
          {terms}
        </Link>
      ) : (
        terms
      )}
      <ForeignText text={[title, exchangeName(asked.exchange)].filter((text) => text !== '').join(', ')} />
    </>
  );
}

function columnsOf(markets: Markets, nameOfBot: (asked: Asked) => string): Column<Asked>[] {
  return [
    {
      id: 'created_at',
      value: (asked) => asked.created_at,
      drawn: { head: 'Asked', kind: 'time', width: 100, narrow: 4 },
    },
    {
      id: 'what',
      value: (asked) => askedTitle(asked, markets),
      drawn: { head: 'What', width: 260, narrow: 'name', cell: (asked) => <What asked={asked} markets={markets} /> },
    },
    { id: 'who', value: nameOfBot, drawn: { head: 'Who', width: 110, narrow: 4 } },
    { id: 'state', value: ({ state }) => STATE[state] ?? state, drawn: { head: 'State', width: 80, narrow: 4 } },
    {
      id: 'reason',
      value: ({ reason }) => reason?.replaceAll('_', ' ') ?? null,
      drawn: { head: 'Reason', width: 130, narrow: 4 },
    },
    { id: 'words', value: ({ words }) => words, drawn: { head: 'In whose words', width: 200 } },
  ];
}

interface FiltersProps extends Omit<ListProps, 'ordering'> {
  readonly bots: readonly Bot[];
}

/** Chooses what is asked for. */
function Filters({ search: { state, exchange, bot, start, end }, change, bots }: FiltersProps): ReactNode {
  const span = written<Required<TimeSpan>>({ start, end });
  return (
    <>
      <div className={ui.filters} role="search" aria-label="What is shown">
        <Select
          label="State"
          value={state ?? ''}
          options={[['', 'All'], ...ASKED_STATES.map((one) => [one, STATES[one]] as const)]}
          onChange={({ target }) => {
            change({ state: target.value });
          }}
        />
        <Select
          label="Exchange"
          value={exchange ?? ''}
          options={[['', 'All'], ...installation.exchanges.map(({ id, name }) => [id, name] as const)]}
          onChange={({ target }) => {
            change({ exchange: target.value });
          }}
        />
        <Days span={span} onChange={change} />
        <BotSelect
          value={bot ?? ''}
          bots={bots}
          onChange={(id) => {
            change({ bot: id });
          }}
        />
      </div>
      {isBounded(span) ? (
        <p className={ui.row}>
          <span>Asked {<SpanText {...span} />}</span>
          <Button
            isSmall
            onClick={() => {
              change({ start: '', end: '' });
            }}
          >
            Of any time
          </Button>
        </p>
      ) : null}
    </>
  );
}

/** Orders and transfers that were asked of this service, refused ones with the reason. */
export function AskedOrders({ search, change, ordering }: ListProps): ReactNode {
  const { state, exchange, bot, start, end } = search;
  const asked = useAsked({ state, exchange, bot, start, end });
  const { data: bots = [] } = useBots();
  const places = useMemo(() => marketsOf(asked.data ?? []), [asked.data]);
  const markets = useMarkets(places, Infinity);
  const columns = useMemo(
    () =>
      columnsOf(markets, ({ bot_id: id, key_prefix: prefix }) => {
        if (id !== null) return bots.find((one) => one.id === id)?.name ?? id;
        return prefix === null ? 'You, signed in' : `Key ${prefix}…`;
      }),
    [markets, bots],
  );
  return (
    <Card
      title="What was asked for"
      aside={
        <Button isSmall onClick={() => void asked.refetch()} disabled={asked.isReading}>
          {asked.isReading ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <Filters search={search} change={change} bots={bots} />
      <Loaded query={asked} height={400}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <p className={ui.soft}>Nothing that fits was asked of this service.</p>
            ) : (
              <Table label="What was asked for" columns={columns} rows={rows} keyOf={({ id }) => id} {...ordering} />
            )}
            {asked.hasMore ? (
              <div className={ui.row}>
                <Button onClick={asked.loadMore} disabled={asked.isReading}>
                  {asked.isReading ? 'Reading…' : 'Load more'}
                </Button>
              </div>
            ) : null}
          </>
        )}
      </Loaded>
    </Card>
  );
}
