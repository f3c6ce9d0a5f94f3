import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Bot, isLiving, useBots } from '../../api/bots.js';
import { ForeignText } from '../foreign-text.js';
import { Time } from '../time.js';
import { FailureNotice, Notice, ui } from '../ui.js';
import { restOfHalt, whyHalted } from './words.js';

/** Why it sends no order, and since when; null where it does. */
function Why({ bot }: { readonly bot: Bot }): ReactNode {
  const { halted, heartbeat } = bot;
  const missed = heartbeat?.missed_since ?? null;
  return (
    <li>
      The bot <ForeignText text={bot.name} form="quoted" />{' '}
      {halted === null ? (
        <>has missed its heartbeat{missed === null ? '' : <>, {<Time iso={missed} />}</>}</>
      ) : (
        <>
          is halted: {whyHalted(halted.reason)}, <Time iso={halted.at} />
        </>
      )}
      . {restOfHalt(bot)}
    </li>
  );
}

/** Which bots send no order, on the overview; nothing where all do. */
export function HaltedBots(): ReactNode {
  const bots = useBots();
  const stopped = (bots.data ?? []).filter(
    (bot) => isLiving(bot) && (bot.halted !== null || (bot.heartbeat?.missed_since ?? null) !== null),
  );
  if (bots.data === undefined && bots.error !== null) {
    return <FailureNotice error={bots.error} onRetry={() => void bots.refetch()} />;
  }
  if (stopped.length === 0) return null;
  return (
    <Notice kind="bad">
      <ul className={ui.bullets}>
        {stopped.map((bot) => (
          <Why key={bot.id} bot={bot} />
        ))}
      </ul>
      <span>
        <Link to="/bots">See your bots</Link>
      </span>
    </Notice>
  );
}
