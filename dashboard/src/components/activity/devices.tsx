import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Session, useEndSessions, useSessions } from '../../api/activity.js';
import { announce } from '../announcer.js';
import { Confirm } from '../confirm.js';
import { Table } from '../table.js';
import { Button, Card, FailureNotice, Loaded, Time, ui } from '../ui.js';
import css from './activity.module.css';

function Device({ device }: { readonly device: Session }): ReactNode {
  const end = useEndSessions(() => {
    announce('That device is signed out.');
  });
  return (
    <tr>
      <td>
        <div className={css.from}>{device.user_agent ?? 'An unnamed client'}</div>
      </td>
      <td>{device.ip}</td>
      <td>
        <Time iso={device.created_at} />
      </td>
      <td>
        <Time iso={device.last_used_at} />
      </td>
      <td>
        <Time iso={device.expires_at} />
      </td>
      <td>
        {device.current ? (
          <strong>This one</strong>
        ) : (
          <Button
            isSmall
            disabled={end.isPending}
            onClick={() => {
              end.mutate(device.id);
            }}
          >
            {end.isPending ? 'Signing out…' : 'Sign out'}
          </Button>
        )}
        {end.error === null ? null : <FailureNotice error={end.error} />}
      </td>
    </tr>
  );
}

function EndOthers(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const end = useEndSessions(() => {
    setOpen(false);
    announce('All other devices are signed out.');
  });
  return (
    <Confirm
      trigger="Sign out all others"
      title="Sign out all other devices?"
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        end.reset();
      }}
      action="Sign them out"
      busy="Signing out…"
      keep="Leave them"
      isPending={end.isPending}
      error={end.error}
      onConfirm={() => {
        end.mutate(null);
      }}
    >
      <p>Each of them must sign in again. Programs with your API key go on: only revoking the key stops them.</p>
    </Confirm>
  );
}

const HEADS = [['Device'], ['Address'], ['Signed in'], ['Last used'], ['Ends'], ['Sign-out']] as const;

/** Where the account is signed in, and how to end it. */
export function Devices(): ReactNode {
  const sessions = useSessions();
  return (
    <Card title="Signed in on" aside={(sessions.data?.length ?? 0) > 1 ? <EndOthers /> : null}>
      <p className={ui.hint}>
        Something here that you do not know? Sign it out, then <Link to="/profile">change your password</Link>. To end
        this one, press Sign out above.
      </p>
      <Loaded query={sessions} height={120}>
        {(devices) => (
          <Table label="Signed in on" heads={HEADS} className={css.rows}>
            {devices.map((device) => (
              <Device key={device.id} device={device} />
            ))}
          </Table>
        )}
      </Loaded>
    </Card>
  );
}
