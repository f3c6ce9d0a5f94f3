import type { ReactNode } from 'react';
import { isLiving, useBots } from '../../api/bots.js';
import type { Exchange } from '../../installation.js';
import { ForeignText } from '../foreign-text.js';
import { FailureNotice, Notice, ui } from '../ui.js';

/** Bots whose orders may rest at an exchange: nobody can cancel them here without the credentials. */
export function BotsWithOrders({ exchange }: { readonly exchange: Exchange }): ReactNode {
  const { data, error } = useBots();
  if (data === undefined) return error === null ? null : <FailureNotice error={error} />;
  const resting = data.filter(
    ({ exchanges, usage }) => usage.open_orders > 0 && (exchanges?.includes(exchange.id) ?? true),
  );
  if (resting.length === 0) return null;
  return (
    <Notice kind="bad">
      <strong>Bots that may trade at {exchange.name} have open orders:</strong>
      <ul className={ui.bullets}>
        {resting.map((bot) => (
          <li key={bot.id}>
            <ForeignText text={bot.name} form="quoted" />: {bot.usage.open_orders} open
            {isLiving(bot) ? '' : ', though it is removed'}
          </li>
        ))}
      </ul>
      <span>Halt them first: without these credentials nobody can cancel here what rests at {exchange.name}.</span>
    </Notice>
  );
}
