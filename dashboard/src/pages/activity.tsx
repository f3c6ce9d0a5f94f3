import type { ReactNode } from 'react';
import { type ActivityPages, useActivity } from '../api/activity.js';
import { Devices } from '../components/activity/devices.js';
import { EventTable } from '../components/activity/event-table.js';
import { FindOrder } from '../components/activity/find-order.js';
import { PageTitle } from '../components/frame.js';
import { Button, Card, Loaded, ui } from '../components/ui.js';

function More({ activity }: { readonly activity: ActivityPages }): ReactNode {
  if (!activity.hasMore) return <p className={ui.hint}>That is all that is kept (400 days).</p>;
  return (
    <div className={ui.row}>
      <Button onClick={activity.loadMore} disabled={activity.isReading}>
        {activity.isReading ? 'Reading…' : 'Load more'}
      </Button>
    </div>
  );
}

/** Who did what, when and from where; where one is signed in. */
export function ActivityPage(): ReactNode {
  const activity = useActivity();
  return (
    <>
      <PageTitle>Activity</PageTitle>
      <FindOrder />
      <Devices />
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
        <Loaded query={activity} height={400}>
          {(events) => (
            <>
              <EventTable events={events} />
              <More activity={activity} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
