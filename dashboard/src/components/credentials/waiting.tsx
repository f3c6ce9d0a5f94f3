import { Progress } from '@base-ui/react/progress';
import { type ReactNode, useEffect, useState } from 'react';
import { readCredentials } from '../../api/credentials.js';
import { ui } from '../ui.js';
import css from './credentials.module.css';

/** So long the service asks at most (contract.md 5.9), in seconds. */
const ASKED_FOR = 65;
/** How often, in seconds, the page looks itself, in case that the answer is lost on the way. */
const LOOK_EVERY = 2;
/** When it gives up, in seconds: an answer takes a little longer than the asking. */
const GIVE_UP_AFTER = 80;

interface WaitingProps {
  readonly exchangeName: string;
  readonly onGivenUp: () => void;
}

/** Shows how long an activation has taken; looks now and then what came of it. */
export function Waiting({ exchangeName, onGivenUp }: WaitingProps): ReactNode {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(setSeconds, 1_000, (before: number) => before + 1);
    return () => {
      clearInterval(timer);
    };
  }, []);
  useEffect(() => {
    if (seconds >= GIVE_UP_AFTER) onGivenUp();
    else if (seconds > 0 && seconds % LOOK_EVERY === 0) void readCredentials();
  }, [seconds, onGivenUp]);
  return (
    <div className={ui.stack}>
      <Progress.Root value={Math.min(seconds, ASKED_FOR)} max={ASKED_FOR} className={ui.field}>
        <Progress.Label className={ui.label}>Waiting for {exchangeName}</Progress.Label>
        <Progress.Track className={css.bar}>
          <Progress.Indicator className={css.done} />
        </Progress.Track>
      </Progress.Root>
      <p className={ui.hint}>
        The service asks {exchangeName} every 2 seconds, for {ASKED_FOR} seconds at most:{' '}
        <span className={ui.number}>{Math.min(seconds, ASKED_FOR)}</span> so far. You may leave this page; it goes on.
      </p>
    </div>
  );
}
