import { type ReactNode, useId, useMemo } from 'react';
import { useBots } from '../../api/bots.js';
import { marketKey, type Markets } from '../../api/markets.js';
import type { Exchange, TimeSpan } from '../../api/portfolio.js';
import { BotSelect } from '../bots/bot-select.js';
import { Select } from '../select.js';
import { ui } from '../ui.js';
import type { Ordering } from '../table/table.js';
import { Days } from './days.js';
import css from './portfolio.module.css';

/** What of the lists is shown; empty for all. */
export interface Filter {
  readonly exchange: string;
  readonly market: string;
  readonly side: string;
  /** The id of a bot. */
  readonly bot: string;
  /** Of fills and settlements, ISO 8601; the service is asked for these alone. */
  readonly start: string;
  readonly end: string;
}

export const NO_FILTER: Filter = { exchange: '', market: '', side: '', bot: '', start: '', end: '' };

export function spanOf({ start, end }: Filter): TimeSpan {
  return { ...(start === '' ? {} : { start }), ...(end === '' ? {} : { end }) };
}

/** What every list is shown with. */
export interface ViewProps {
  readonly exchanges: readonly Exchange[];
  readonly filter: Filter;
  readonly ordering: Ordering;
  readonly onShowAll: () => void;
}

interface Row {
  readonly exchange: string;
  readonly market_id: string;
  readonly title?: string | null;
  readonly side?: string;
  readonly bot_id?: string | null;
  readonly event_id?: string | null;
  readonly outcome: { readonly label: string | null } | null;
}

/** Whether a member of a row is as chosen; lists without it are not chosen from by it. */
function isChosen(chosen: string, member: string | null | undefined): boolean {
  return chosen === '' || member === undefined || member === chosen;
}

/** Whether a row is to be shown; its market is searched by title, id, event and outcome. */
function fits(row: Row, filter: Filter, markets: Markets): boolean {
  const isFit = isChosen(filter.exchange, row.exchange) && isChosen(filter.side, row.side);
  if (!isFit || !isChosen(filter.bot, row.bot_id)) return false;
  const market = markets.get(marketKey(row.exchange, row.market_id));
  const event = row.event_id ?? market?.event_id;
  const texts = [row.market_id, row.title, row.outcome?.label, market?.title, market?.subtitle, event];
  return texts.join('\n').toLowerCase().includes(filter.market.trim().toLowerCase());
}

/** Those that are to be shown; the same list as long as they are the same. */
export function useFitting<T extends Row>(rows: readonly T[], filter: Filter, markets: Markets): readonly T[] {
  return useMemo(() => rows.filter((row) => fits(row, filter, markets)), [rows, filter, markets]);
}

interface FiltersProps {
  readonly exchanges: readonly Exchange[];
  readonly filter: Filter;
  readonly onChange: (change: Partial<Filter>) => void;
  /** Whether the list in view has sides. */
  readonly hasSides: boolean;
  /** Whether its rows are of a time that can be chosen. */
  readonly hasTimes: boolean;
}

/** Chooses what is shown of what was read; of a time, what is read. */
export function Filters({ exchanges, filter, onChange, hasSides, hasTimes }: FiltersProps): ReactNode {
  const id = useId();
  const bots = useBots().data ?? [];
  return (
    <div className={css.filters} role="search" aria-label="What is shown">
      <Select
        label="Exchange"
        value={filter.exchange}
        options={[['', 'All'], ...exchanges.map((one) => [one.id, one.name] as const)]}
        onChange={({ target }) => {
          onChange({ exchange: target.value });
        }}
      />
      <div className={ui.field}>
        <label className={ui.label} htmlFor={id}>
          Market
        </label>
        <input
          id={id}
          className={ui.input}
          type="search"
          autoComplete="off"
          placeholder="Title, id or outcome"
          value={filter.market}
          onChange={({ target }) => {
            onChange({ market: target.value });
          }}
        />
      </div>
      {hasTimes ? <Days span={spanOf(filter)} onChange={onChange} /> : null}
      {hasSides ? (
        <Select
          label="Side"
          value={filter.side}
          options={[
            ['', 'Buy and sell'],
            ['buy', 'Buy'],
            ['sell', 'Sell'],
          ]}
          onChange={({ target }) => {
            onChange({ side: target.value });
          }}
        />
      ) : null}
      {hasSides && (bots.length > 0 || filter.bot !== '') ? (
        <BotSelect
          value={filter.bot}
          bots={bots}
          onChange={(bot) => {
            onChange({ bot });
          }}
        />
      ) : null}
    </div>
  );
}
