import { type ReactNode, useState } from 'react';
import { isLiving, useBots, useHaltAll } from '../../api/bots.js';
import { announce } from '../announcer.js';
import { Confirm } from '../confirm.js';
import { useSecondsUntil } from '../ui.js';
import { HALT_RESULT } from './halt-report.js';

/** Whoever wants to stop them does not wait longer for their list, in milliseconds. */
const LATE_MS = 1_000;

/** Whether there are bots to stop; also where that is not known, or not soon. */
export function useCanStop(): boolean {
  const { data, error } = useBots();
  const [begunAt] = useState(Date.now);
  const isLate = useSecondsUntil(begunAt + LATE_MS) === 0;
  return error !== null || (data === undefined ? isLate : data.some(isLiving));
}

interface StopAllBotsProps {
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** One press from every page, or a command, then one question. */
export function StopAllBots({ isOpen, onOpenChange }: StopAllBotsProps): ReactNode {
  const bots = useBots();
  const halt = useHaltAll();
  const living = (bots.data ?? []).filter(isLiving).length;
  if (!useCanStop()) return null;
  return (
    <Confirm
      trigger="Stop all bots"
      title="Stop all bots?"
      isOpen={isOpen}
      onOpenChange={(open) => {
        onOpenChange(open);
        if (!halt.isPending) halt.reset();
      }}
      action="Stop them now"
      busy="Stopping, up to 30 s…"
      keep="Let them go on"
      resultId={HALT_RESULT}
      isPending={halt.isPending}
      error={halt.error}
      onConfirm={() => {
        halt.mutate(undefined, {
          onSuccess: () => {
            onOpenChange(false);
            announce('All bots are halted. No order of theirs begins until you resume them.');
          },
        });
      }}
    >
      <p>
        From now on no order of {living > 1 ? `your ${living} bots` : 'your bots'} begins, and their open orders are
        cancelled at all exchanges. What has filled stays filled. You resume them one by one.
      </p>
      <p>Programs with your main key go on: revoke that key to stop them too.</p>
    </Confirm>
  );
}
