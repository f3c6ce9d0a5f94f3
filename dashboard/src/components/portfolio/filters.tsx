import { type ReactNode, useId, useMemo } from 'react';
import { marketKey, type Markets } from '../../api/markets.js';
import type { Exchange } from '../../api/portfolio.js';
import { Select } from '../form.js';
import { ui } from '../ui.js';
import css from './portfolio.module.css';

/** What of the lists is shown; empty for all. */
export interface Filter {
  readonly exchange: string;
  readonly market: string;
  readonly side: string;
}

export const NO_FILTER: Filter = { exchange: '', market: '', side: '' };

/** What every list is shown with. */
export interface ViewProps {
  readonly exchanges: readonly Exchange[];
  readonly filter: Filter;
  readonly onShowAll: () => void;
}

interface Row {
  readonly exchange: string;
  readonly market_id: string;
  readonly title?: string | null;
  readonly side?: string;
  readonly outcome: { readonly label: string | null } | null;
}

/** Whether a row is to be shown; its market is searched by title, id and outcome. */
function fits(row: Row, filter: Filter, markets: Markets): boolean {
  if (filter.exchange !== '' && row.exchange !== filter.exchange) return false;
  if (filter.side !== '' && row.side !== undefined && row.side !== filter.side) return false;
  const market = markets.get(marketKey(row.exchange, row.market_id));
  const texts = [row.market_id, row.title, row.outcome?.label, market?.title, market?.subtitle];
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
}

/** Chooses what is shown of what was read; nothing is asked for. */
export function Filters({ exchanges, filter, onChange, hasSides }: FiltersProps): ReactNode {
  const id = useId();
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
    </div>
  );
}
