import { Tabs } from '@base-ui/react/tabs';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { Exchange } from '../api/portfolio.js';
import { PageTitle } from '../components/frame.js';
import { CourseTab } from '../components/portfolio/course-tab.js';
import { Fills } from '../components/portfolio/fills.js';
import { type Filter, Filters, NO_FILTER, type ViewProps } from '../components/portfolio/filters.js';
import { Orders } from '../components/portfolio/orders.js';
import { Positions } from '../components/portfolio/positions.js';
import { portfolioSearchOf, type View } from '../components/portfolio/search.js';
import { Settlements } from '../components/portfolio/settlements.js';
import { WithExchanges } from '../components/portfolio/with-exchanges.js';
import type { Ordering } from '../components/table/table.js';
import { ui } from '../components/ui.js';

const route = getRouteApi('/inside/portfolio');

const TABS: readonly {
  readonly id: View;
  readonly name: string;
  readonly Shown: (props: ViewProps) => ReactNode;
}[] = [
  { id: 'positions', name: 'Positions', Shown: Positions },
  { id: 'orders', name: 'Open orders', Shown: Orders },
  { id: 'fills', name: 'Fills', Shown: Fills },
  { id: 'settlements', name: 'Settlements', Shown: Settlements },
  { id: 'course', name: 'Over time', Shown: CourseTab },
];
/** Those that show no trades, which have sides. */
const WITHOUT_SIDES = new Set<View>(['positions', 'settlements']);
/** Those whose rows are of a time. */
const WITH_TIMES = new Set<View>(['fills', 'settlements']);

/** How long after the last letter the address takes over what is typed, in milliseconds. */
const TYPED_MS = 300;

/** List and filters, as the address says; what is typed shows at once, and is in the address a moment later. */
function useView(): {
  readonly list: View;
  readonly filter: Filter;
  readonly ordering: Ordering;
  readonly change: (change: Partial<Filter> & { readonly list?: View }) => void;
} {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(search.market ?? '');
  const { list = 'positions', exchange = '', side = '', bot = '', start = '', end = '' } = search;
  const filter = useMemo(
    () => ({ exchange, side, bot, start, end, market: typed }),
    [exchange, side, bot, start, end, typed],
  );
  /** The words that this page has put into the address. */
  const own = useRef(search.market);
  const go = (wanted: object): void => {
    const next = portfolioSearchOf({ ...search, ...wanted });
    own.current = next.market;
    void navigate({ search: next, replace: true });
  };
  // Others may change them too: a link to the page itself.
  const takeOver = useEffectEvent((market: string | undefined): void => {
    if (market !== own.current) setTyped(market ?? '');
    own.current = market;
  });
  useEffect(() => {
    takeOver(search.market);
  }, [search.market]);
  useEffect(() => {
    if (typed.trim() === (search.market ?? '')) return undefined;
    const timer = setTimeout(go, TYPED_MS, { market: typed });
    return () => {
      clearTimeout(timer);
    };
  });
  return {
    list,
    filter,
    ordering: {
      sort: search.sort ?? '',
      onSort: (sort) => {
        go({ sort });
      },
    },
    change: ({ market, ...others }) => {
      if (market !== undefined) setTyped(market);
      // Another list has other columns.
      const sort = others.list === undefined ? search.sort : undefined;
      if (market === '' || Object.keys(others).length > 0) go({ ...others, sort, market: market ?? typed });
    },
  };
}

/** Only the list in view is read. */
function Lists({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const { list, filter, ordering, change } = useView();
  return (
    <Tabs.Root
      value={list}
      onValueChange={(value) => {
        change({ list: value as View });
      }}
      className={ui.stack}
    >
      <Tabs.List className={ui.tabs} aria-label="What you have">
        {TABS.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} className={ui.tab}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {list === 'course' ? null : (
        <Filters
          exchanges={exchanges}
          filter={filter}
          onChange={change}
          hasSides={!WITHOUT_SIDES.has(list)}
          hasTimes={WITH_TIMES.has(list)}
        />
      )}
      {TABS.map(({ id, Shown }) => (
        <Tabs.Panel key={id} value={id} className={ui.stack}>
          <Shown
            exchanges={exchanges}
            filter={filter}
            ordering={ordering}
            onShowAll={() => {
              change(NO_FILTER);
            }}
          />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

/** What there is at all exchanges, what became of it, and how it went. */
export function Portfolio(): ReactNode {
  return (
    <>
      <PageTitle>Portfolio</PageTitle>
      <WithExchanges>{(exchanges) => <Lists exchanges={exchanges} />}</WithExchanges>
    </>
  );
}
