import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Activity, orderIdsOf } from '../../api/activity.js';
import { ForeignText } from '../foreign-text.js';
import type { Column } from '../table/columns.js';
import { type Ordering, Table } from '../table/table.js';
import { ui } from '../ui.js';
import { clientOf, whoDid, wordsOf } from './words.js';

/** Leads to the whole life of the order that an entry is about. */
function LifeLink({ event }: { readonly event: Activity }): ReactNode {
  const { order, client } = orderIdsOf(event);
  const id = order ?? client;
  if (id === null) return null;
  return (
    <div>
      <Link to="/activity/orders/$id" params={{ id }}>
        This order’s whole life
      </Link>
    </div>
  );
}

const COLUMNS: readonly Column<Activity>[] = [
  {
    id: 'created_at',
    value: (event) => event.created_at,
    drawn: { head: 'When', kind: 'time', width: 110, narrow: 4 },
  },
  {
    id: 'what',
    value: wordsOf,
    drawn: {
      head: 'What',
      width: 300,
      narrow: 'name',
      cell: (event) => (
        <>
          <ForeignText text={wordsOf(event)} />
          <LifeLink event={event} />
        </>
      ),
    },
  },
  { id: 'who', value: whoDid, drawn: { head: 'Who', width: 130, narrow: 5 } },
  {
    id: 'from',
    value: ({ ip }) => ip,
    drawn: {
      head: 'From where',
      width: 180,
      narrow: 5,
      cell: (event) => {
        const client = clientOf(event);
        return (
          <>
            {event.ip ?? 'not known'}
            {client === null ? null : (
              <div className={ui.hint}>
                <ForeignText text={client} />
              </div>
            )}
          </>
        );
      },
    },
  },
  {
    id: 'request_id',
    value: (event) => event.request_id,
    drawn: {
      head: 'Request id',
      width: 150,
      cell: ({ request_id: id }) => (id === null ? '–' : <code>{id}</code>),
    },
  },
];

interface EventTableProps {
  readonly events: readonly Activity[];
  readonly ordering: Ordering;
}

/** What happened, newest first where nothing else is chosen. */
export function EventTable({ events, ordering }: EventTableProps): ReactNode {
  return <Table label="What happened" columns={COLUMNS} rows={events} keyOf={({ id }) => id} {...ordering} />;
}
