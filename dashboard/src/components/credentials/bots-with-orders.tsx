import type { ReactNode } from 'react';
import { isLiving, useBots } from '../../api/bots.js';
import type { Exchange } from '../../installation.js';
import { ForeignText } from '../foreign-text.js';
import { FailureNotice, Notice, ui } from '../ui.js';

/**
 * Bots with open orders, which may rest at this exchange: nobody can cancel them here without the credentials. What a bot may trade at says
 * nothing of that: an exchange may have been taken from it while its orders rest.
 */
export function BotsWithOrders({ exchange }: { readonly exchange: Exchange }): ReactNode {
  const { data, error } = useBots();
  if (data === undefined) return error === null ? null : <FailureNotice error={error} />;
  const resting = data.filter(({ usage }) => usage.open_orders > 0);
  if (resting.length === 0) return null;
  return (
    <Notice kind="bad">
      <strong>Bots have open orders, at {exchange.name} or elsewhere:</strong>
      <ul className={ui.bullets}>
        {resting.map((bot) => (
          <li key={bot.id}>
            <ForeignText text={bot.name} form="quoted" />: {bot.usage.open_orders} open
            {isLiving(bot) ? '' : ', though it is removed'}
          </li>
        ))}
      </ul>
      <span>
        The figures are of all exchanges together. Halt these bots first: without these credentials nobody can cancel
        here what rests at {exchange.name}.
      </span>
    </Notice>
  );
}
