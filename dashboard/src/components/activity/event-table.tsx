import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Activity, orderIdsOf } from '../../api/activity.js';
import { Table } from '../table.js';
import { Time, ui } from '../ui.js';
import css from './activity.module.css';
import { whoDid, wordsOf } from './words.js';

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

const HEADS = [['When'], ['What'], ['Who'], ['From where'], ['Request id']] as const;

/** What happened, newest first. */
export function EventTable({ events }: { readonly events: readonly Activity[] }): ReactNode {
  return (
    <Table label="What happened" heads={HEADS} className={css.rows}>
      {events.map((event) => (
        <tr key={event.id}>
          <td>
            <Time iso={event.created_at} />
          </td>
          <td>
            <div className={css.what}>
              {wordsOf(event)}
              <LifeLink event={event} />
            </div>
          </td>
          <td>{whoDid(event)}</td>
          <td>
            <div className={css.from}>
              {event.ip ?? 'not known'}
              {event.user_agent === null ? null : <div className={ui.hint}>{event.user_agent}</div>}
            </div>
          </td>
          <td>
            <div className={css.request}>{event.request_id === null ? '–' : <code>{event.request_id}</code>}</div>
          </td>
        </tr>
      ))}
    </Table>
  );
}
