import { functionalUpdate, type Header, type SortingState, type Updater, useTable } from '@tanstack/react-table';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactNode, useCallback, useMemo, useRef } from 'react';
import { Amount, placesOf } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Time } from '../time.js';
import { type Column, definitionOf, type DrawnColumn, drawnOf, FEATURES } from './columns.js';
import css from './table.module.css';

const ARROWS = { asc: '▲', desc: '▼' } as const;
const ORDERS = { asc: 'ascending', desc: 'descending' } as const;

interface HeadProps<T extends object> {
  readonly header: Header<typeof FEATURES, T>;
  readonly column: DrawnColumn<T>;
}

/** The head of a column: a button that sorts. */
function Head<T extends object>({ header, column: { drawn } }: HeadProps<T>): ReactNode {
  const sorted = header.column.getIsSorted();
  const name = (
    <>
      {drawn.head}
      {drawn.unit === undefined ? null : <span className={css.unit}> {drawn.unit}</span>}
    </>
  );
  return (
    <th
      role="columnheader"
      scope="col"
      className={classOf(drawn)}
      style={orderOf(drawn)}
      aria-sort={sorted === false ? undefined : ORDERS[sorted]}
    >
      {header.column.getCanSort() ? (
        <button type="button" className={css.sort} onClick={header.column.getToggleSortingHandler()}>
          {name} <span aria-hidden="true">{sorted === false ? '' : ARROWS[sorted]}</span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

function classOf({ kind, narrow }: DrawnColumn<never>['drawn']): string {
  const place = typeof narrow === 'number' ? 'second' : (narrow ?? 'wideOnly');
  return [css.cell, kind === 'number' ? css.number : '', css[place]].join(' ');
}

function orderOf({ narrowOrder }: DrawnColumn<never>['drawn']): CSSProperties | undefined {
  return narrowOrder === undefined ? undefined : ({ '--order': narrowOrder } as CSSProperties);
}

/** More places than this are cut, and shown where one looks closer. */
const MOST_PLACES = 4;

function content<T>({ value, drawn: { kind, cell } }: DrawnColumn<T>, row: T, places: number): ReactNode {
  if (cell !== undefined) return cell(row, places);
  const stated = value?.(row) ?? null;
  if (kind === 'number') return <Amount value={stated} places={places} />;
  if (stated === null) return <span title="Not stated">–</span>;
  return kind === 'time' ? <Time iso={stated} /> : <ForeignText text={stated} />;
}

interface RowProps<T> {
  readonly row: T;
  readonly index: number;
  /** From the top of the rows, in pixels. */
  readonly start: number;
  readonly columns: readonly DrawnColumn<T>[];
  /** Of each column. */
  readonly places: readonly number[];
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

function PlainBodyRow<T>({ row, index, start, columns, places, measure }: RowProps<T>): ReactNode {
  return (
    // The head is the first row of all. A row may be laid out as two lines: then only its role says what it is.
    <tr
      ref={measure}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      className={css.row}
      style={{ insetBlockStart: start }}
    >
      {columns.map((column, at) => {
        const isName = column.drawn.narrow === 'name';
        const Cell = isName ? 'th' : 'td';
        return (
          <Cell
            key={column.id}
            role={isName ? 'rowheader' : 'cell'}
            scope={isName ? 'row' : undefined}
            className={classOf(column.drawn)}
            style={orderOf(column.drawn)}
          >
            {content(column, row, places[at] ?? 0)}
          </Cell>
        );
      })}
    </tr>
  );
}
const BodyRow = memo(PlainBodyRow) as typeof PlainBodyRow;

/** Between two columns, in pixels: `--gap-4`. */
const GAP = 16;
/** What a button takes at the end of a row of two lines, in pixels. */
const ACT_WIDTH = 84;

/** Widths of the columns, for the style sheet. */
function widthsOf<T>(columns: readonly DrawnColumn<T>[]): CSSProperties {
  const widths = columns.map(({ drawn }) => drawn.width);
  const second = columns.map(({ drawn }) => drawn).filter(({ narrow }) => typeof narrow === 'number');
  const hasAct = columns.some(({ drawn }) => drawn.narrow === 'act');
  const inOrder = second.sort((a, b) => (a.narrowOrder ?? 0) - (b.narrowOrder ?? 0));
  return {
    '--wide': widths.map((width) => `minmax(0, ${width}fr)`).join(' '),
    '--least': `${widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1))}px`,
    '--narrow': inOrder
      .map(({ narrow }, at) => {
        const least = hasAct && at === inOrder.length - 1 ? ACT_WIDTH : 0;
        return `minmax(${least}px, ${String(narrow)}fr)`;
      })
      .join(' '),
  } as CSSProperties;
}

/** Of a row that is not measured yet, in pixels. */
const ROW_HEIGHT = 64;
/** Drawn above and below what is seen, so that the next row can take the focus. */
const OVERSCAN = 6;

/** The index of the row that holds the focus; it stays drawn wherever one scrolls. */
function focusedRow(box: HTMLElement | null): number | null {
  const focused = document.activeElement?.closest<HTMLElement>('[data-index]') ?? null;
  return focused !== null && box?.contains(focused) === true ? Number(focused.dataset.index) : null;
}

/** How rows are sorted, where that is kept by others: by which column, behind `-` for the greatest first; empty for their own order. */
export interface Ordering {
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

interface TableProps<T> extends Partial<Ordering> {
  readonly label: string;
  /** The same as long as they are the same: rows are sorted anew with them. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Unique within the table. */
  readonly keyOf: (row: T, index: number) => string;
}

/** What of the order is kept by others; a column that is none says nothing. */
function useOrdering<T extends object>({ sort = '', onSort }: TableProps<T>, columns: readonly DrawnColumn<T>[]) {
  const sorting = useMemo(() => {
    const [desc, id] = [sort.startsWith('-'), sort.replace(/^-/, '')];
    return columns.some((column) => column.id === id && column.value !== undefined) ? [{ id, desc }] : [];
  }, [sort, columns]);
  if (onSort === undefined) return {};
  return {
    state: { sorting },
    onSortingChange: (change: Updater<SortingState>) => {
      const [by] = functionalUpdate(change, sorting);
      onSort(by === undefined ? '' : `${by.desc ? '-' : ''}${by.id}`);
    },
  };
}

/** Rows of a table in their order, of which those near the view are drawn. */
function useRows<T extends object>(props: TableProps<T>, columns: readonly DrawnColumn<T>[]) {
  const { rows, keyOf } = props;
  const box = useRef<HTMLDivElement>(null);
  const definitions = useMemo(() => columns.map(definitionOf), [columns]);
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data: rows,
    getRowId: keyOf,
    enableMultiSort: false,
    ...useOrdering(props, columns),
  });
  const { rows: sorted } = table.getRowModel();
  const rangeExtractor = useCallback((range: Range) => {
    const drawn = defaultRangeExtractor(range);
    const focused = focusedRow(box.current);
    if (focused === null || focused >= range.count || drawn.includes(focused)) return drawn;
    return [...drawn, focused].sort((a, b) => a - b);
  }, []);
  const virtual = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: sorted.length,
    getScrollElement: () => box.current,
    getItemKey: useCallback((index: number) => sorted[index]?.id ?? index, [sorted]),
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    rangeExtractor,
  });
  return { box, table, sorted, virtual };
}

/**
 * A table of any length in a box of its own: its head stays, its rows are drawn as they come into view, and where it is narrow each
 * row has two lines.
 */
export function Table<T extends object>(props: TableProps<T>): ReactNode {
  const { label, columns, rows } = props;
  const drawn = useMemo(() => drawnOf(columns), [columns]);
  const { box, table, sorted, virtual } = useRows(props, drawn);
  const places = useMemo(
    () => drawn.map(({ value, drawn: { kind } }) => (kind === 'number' ? placesIn(rows, value) : 0)),
    [drawn, rows],
  );
  const style = useMemo(() => widthsOf(drawn), [drawn]);
  const hasTwoLines = drawn.some(({ drawn: { narrow } }) => narrow !== undefined);
  const [heads] = table.getHeaderGroups();
  return (
    <div ref={box} className={css.box} tabIndex={0} role="region" aria-label={`${label}, a table`}>
      <table
        role="table"
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        className={css.table}
        style={style}
        data-two-lines={hasTwoLines}
      >
        <thead role="rowgroup" className={css.head}>
          <tr role="row" aria-rowindex={1}>
            {drawn.map((column, at) => {
              const header = heads?.headers[at];
              return header === undefined ? null : <Head key={column.id} header={header} column={column} />;
            })}
          </tr>
        </thead>
        <tbody role="rowgroup" className={css.body} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = sorted[index]?.original;
            return row === undefined ? null : (
              <BodyRow
                key={String(key)}
                row={row}
                index={index}
                start={start}
                columns={drawn}
                places={places}
                measure={virtual.measureElement}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function placesIn<T>(rows: readonly T[], value: Column<T>['value']): number {
  return Math.min(MOST_PLACES, placesOf(rows.map((row) => value?.(row) ?? null)));
}
