import { Tabs } from '@base-ui/react/tabs';
import { type ReactNode, useState } from 'react';
import type { ListName } from '../api/portfolio.js';
import { PageTitle } from '../components/frame.js';
import { type Access, WithAccess } from '../components/portfolio/access.js';
import { Fills } from '../components/portfolio/fills.js';
import { Filters, NO_FILTER, type ViewProps } from '../components/portfolio/filters.js';
import { Orders } from '../components/portfolio/orders.js';
import { Positions } from '../components/portfolio/positions.js';
import { LastCancel } from '../components/portfolio/result.js';
import { ui } from '../components/ui.js';

const VIEWS: readonly {
  readonly id: ListName;
  readonly name: string;
  readonly View: (props: ViewProps) => ReactNode;
}[] = [
  { id: 'positions', name: 'Positions', View: Positions },
  { id: 'orders', name: 'Open orders', View: Orders },
  { id: 'fills', name: 'Fills', View: Fills },
];

/** Only the list in view is read. */
function Lists({ access }: { readonly access: Access }): ReactNode {
  const [view, setView] = useState<ListName>('positions');
  const [filter, setFilter] = useState(NO_FILTER);
  return (
    <Tabs.Root
      value={view}
      onValueChange={(value) => {
        setView(value as ListName);
      }}
      className={ui.stack}
    >
      <LastCancel access={access} />
      <Tabs.List className={ui.tabs} aria-label="What you have">
        {VIEWS.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} className={ui.tab}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Filters exchanges={access.exchanges} filter={filter} onChange={setFilter} hasSides={view !== 'positions'} />
      {VIEWS.map(({ id, View }) => (
        <Tabs.Panel key={id} value={id} className={ui.stack}>
          <View
            access={access}
            filter={filter}
            onShowAll={() => {
              setFilter(NO_FILTER);
            }}
          />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

/** Positions, open orders and fills of all exchanges. */
export function Portfolio(): ReactNode {
  return (
    <>
      <PageTitle>Portfolio</PageTitle>
      <WithAccess>{(access) => <Lists access={access} />}</WithAccess>
    </>
  );
}
