import { Tabs } from '@base-ui/react/tabs';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Activity, useActivity } from '../api/activity.js';
import type { MorePages } from '../api/pages.js';
import { AskedOrders } from '../components/activity/asked-orders.js';
import { Devices } from '../components/activity/devices.js';
import { EventTable } from '../components/activity/event-table.js';
import { type ActivitySearch, activitySearchOf, type ListProps } from '../components/activity/search.js';
import { PageTitle } from '../components/frame.js';
import { Select } from '../components/select.js';
import { Button, Card, Loaded, ui } from '../components/ui.js';
import { installation } from '../installation.js';

const route = getRouteApi('/inside/activity');

function More({ activity }: { readonly activity: MorePages<Activity> }): ReactNode {
  if (!activity.hasMore) return <p className={ui.hint}>That is all that is kept (400 days).</p>;
  return (
    <div className={ui.row}>
      <Button onClick={activity.loadMore} disabled={activity.isReading}>
        {activity.isReading ? 'Reading…' : 'Load more'}
      </Button>
    </div>
  );
}

function isShown(event: Activity, { about, exchange }: ActivitySearch): boolean {
  if (exchange !== undefined && event.exchange !== exchange) return false;
  return about === undefined || (about === 'orders') === event.type.startsWith('order_');
}

/** Chooses what is shown of what was read; nothing is asked for. */
function Filters({ search, change }: Omit<ListProps, 'ordering'>): ReactNode {
  return (
    <div className={ui.filters} role="search" aria-label="What is shown">
      <Select
        label="About"
        value={search.about ?? ''}
        options={[
          ['', 'Everything'],
          ['orders', 'Orders'],
          ['account', 'The account'],
        ]}
        onChange={({ target }) => {
          change({ about: target.value });
        }}
      />
      <Select
        label="Exchange"
        value={search.exchange ?? ''}
        options={[['', 'All, and none'], ...installation.exchanges.map(({ id, name }) => [id, name] as const)]}
        onChange={({ target }) => {
          change({ exchange: target.value });
        }}
      />
    </div>
  );
}

function Events({ search, change, ordering }: ListProps): ReactNode {
  const activity = useActivity();
  return (
    <Card
      title="What happened"
      aside={
        <Button isSmall onClick={() => void activity.refetch()} disabled={activity.isReading}>
          {activity.isReading ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <p className={ui.hint}>
        Sign-ins, keys, credentials, and every order and cancel that programs sent. Reads are not noted.
      </p>
      <Filters search={search} change={change} />
      <Loaded query={activity} height={400}>
        {(events) => {
          const shown = events.filter((event) => isShown(event, search));
          return (
            <>
              {shown.length === 0 ? (
                <p className={ui.soft}>None of the {events.length} that were read fits what you chose above.</p>
              ) : (
                <EventTable events={shown} ordering={ordering} />
              )}
              <More activity={activity} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** Who did what, when and from where; where one is signed in. */
export function ActivityPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change: ListProps['change'] = (wanted) => {
    void navigate({ search: activitySearchOf({ ...search, ...wanted }), replace: true });
  };
  const shown: ListProps = {
    search,
    change,
    ordering: {
      sort: search.sort ?? '',
      onSort: (sort) => {
        change({ sort });
      },
    },
  };
  return (
    <>
      <PageTitle>Activity</PageTitle>
      <Tabs.Root
        value={search.list ?? 'events'}
        onValueChange={(list) => {
          // Another list has other columns.
          change({ list: String(list), sort: '' });
        }}
        className={ui.stack}
      >
        <Tabs.List className={ui.tabs} aria-label="Activity">
          <Tabs.Tab value="events" className={ui.tab}>
            What happened
          </Tabs.Tab>
          <Tabs.Tab value="orders" className={ui.tab}>
            Orders
          </Tabs.Tab>
          <Tabs.Tab value="devices" className={ui.tab}>
            Devices
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events">
          <Events {...shown} />
        </Tabs.Panel>
        <Tabs.Panel value="orders">
          <AskedOrders {...shown} />
        </Tabs.Panel>
        <Tabs.Panel value="devices">
          <Devices ordering={shown.ordering} />
        </Tabs.Panel>
      </Tabs.Root>
    </>
  );
}
