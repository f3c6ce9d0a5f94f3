import type { ReactNode } from 'react';
import { useSetHourly } from '../../api/account.js';
import { Button, FailureNotice, ui } from '../ui.js';

/** Whether the service looks each hour by itself. */
export function Hourly({ isOn }: { readonly isOn: boolean }): ReactNode {
  const set = useSetHourly();
  return (
    <>
      <div className={ui.row}>
        <Button
          isSmall
          aria-pressed={isOn}
          disabled={set.isPending}
          onClick={() => {
            set.mutate(!isOn);
          }}
        >
          {isOn ? 'Stop the hourly record' : 'Record it each hour'}
        </Button>
        <span role="status">{isOn ? 'The hourly record is on.' : 'The hourly record is off.'}</span>
      </div>
      {set.error === null ? null : <FailureNotice error={set.error} />}
      <details className={ui.hint}>
        <summary>What that does</summary>
        Without it a point is left when you open the overview, or your main key reads the portfolio: at most one in 15
        minutes. With it the service reads your accounts each hour with the stored credentials, also while you are away,
        by your own limit of requests at the exchanges. Points are kept for 400 days.
      </details>
    </>
  );
}
