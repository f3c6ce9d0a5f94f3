import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type Session, useEndSessions, useSessions } from '../../api/activity.js';
import { announce } from '../announcer.js';
import { Confirm } from '../confirm.js';
import { ForeignText } from '../foreign-text.js';
import type { Column } from '../table/columns.js';
import { type Ordering, Table } from '../table/table.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../ui.js';
import { deviceName } from './device-name.js';

/** In words where it is a browser, with what it calls itself one press away. */
function DeviceName({ userAgent }: { readonly userAgent: string | null }): ReactNode {
  if (userAgent === null) return 'An unnamed client';
  const name = deviceName(userAgent);
  if (name === null) return <ForeignText text={userAgent} />;
  return (
    <details>
      <summary>{name}</summary>
      <span className={ui.hint}>{userAgent}</span>
    </details>
  );
}

interface EndDeviceProps {
  readonly device: Session;
  readonly end: ReturnType<typeof useEndSessions>;
}

function EndDevice({ device: { id, current }, end }: EndDeviceProps): ReactNode {
  if (current) return <strong>This one</strong>;
  const isEnding = end.isPending && end.variables === id;
  return (
    <Button
      isSmall
      disabled={end.isPending}
      onClick={() => {
        end.mutate(id);
      }}
    >
      {isEnding ? 'Signing out…' : 'Sign out'}
    </Button>
  );
}

function columnsOf(end: EndDeviceProps['end']): Column<Session>[] {
  return [
    {
      id: 'user_agent',
      value: (device) => device.user_agent ?? 'An unnamed client',
      drawn: {
        head: 'Device',
        width: 220,
        narrow: 'name',
        cell: (device) => <DeviceName userAgent={device.user_agent} />,
      },
    },
    { id: 'ip', value: ({ ip }) => ip, drawn: { head: 'Address', width: 110, narrow: 4 } },
    {
      id: 'created_at',
      value: (device) => device.created_at,
      drawn: { head: 'Signed in', kind: 'time', width: 110, narrow: 4 },
    },
    {
      id: 'last_used_at',
      value: (device) => device.last_used_at,
      drawn: { head: 'Last used', kind: 'time', width: 110, narrow: 4 },
    },
    { id: 'expires_at', value: (device) => device.expires_at, drawn: { head: 'Ends', kind: 'time', width: 110 } },
    {
      id: 'end',
      drawn: { head: 'Sign-out', width: 110, narrow: 'act', cell: (device) => <EndDevice device={device} end={end} /> },
    },
  ];
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

/** Where the account is signed in, and how to end it. */
export function Devices({ ordering }: { readonly ordering: Ordering }): ReactNode {
  const sessions = useSessions();
  const end = useEndSessions(() => {
    announce('That device is signed out.');
  });
  const columns = useMemo(() => columnsOf(end), [end]);
  return (
    <Card title="Signed in on" aside={(sessions.data?.length ?? 0) > 1 ? <EndOthers /> : null}>
      <p className={ui.hint}>
        Something here that you do not know? Sign it out, then <Link to="/profile">change your password</Link>. To end
        this one, press Sign out above.
      </p>
      <Loaded query={sessions} height={120}>
        {(devices) => (
          <>
            {end.error === null ? null : <FailureNotice error={end.error} />}
            <Table label="Signed in on" columns={columns} rows={devices} keyOf={({ id }) => id} {...ordering} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
