import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import type { Suggestions } from '../../api/found.js';
import { type Asked, nameOf } from '../../api/asked-orders.js';
import { Amount } from '../amount.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { exchangeName, plainTitle } from '../names.js';
import { ui } from '../ui.js';
import { type Command, CommandLine, commandsFor } from './commands.js';
import { Quote, volumeUnit } from './quote.js';
import css from './search.module.css';

/** One line under the field. */
export type Choice =
  | { readonly kind: 'order'; readonly order: Asked }
  | { readonly kind: 'market'; readonly market: Market }
  | Command
  /** All that the text finds. */
  | { readonly kind: 'all'; readonly text: string };

export function choicesOf(
  text: string,
  found: Suggestions | undefined,
  commands: readonly Command[],
): readonly Choice[] {
  const { order, markets } = found ?? { order: null, markets: [] };
  const fitting = commandsFor(text, commands);
  if (text === '' || (order === null && markets.length === 0)) return fitting;
  return [
    ...fitting,
    ...(order === null ? [] : [{ kind: 'order', order } as const]),
    ...markets.map((market) => ({ kind: 'market', market }) as const),
    { kind: 'all', text },
  ];
}

/** Without what is behind the point: a line holds nothing that takes the focus, and so cannot show it. */
function wholeOf(decimal: string | null): string | null {
  return decimal?.split('.')[0] ?? null;
}

function MarketLine({ market }: { readonly market: Market }): ReactNode {
  const [outcome] = market.outcomes;
  return (
    <>
      <ForeignText text={plainTitle(market.title)} />
      <span className={css.facts}>
        {market.subtitle === null ? null : <ForeignText text={market.subtitle} />}
        <span>{exchangeName(market.exchange)}</span>
        {outcome === undefined ? null : (
          <span>
            <bdi>{plainText(outcome.label, 30)}</bdi> <Quote outcome={outcome} />
          </span>
        )}
        <span>
          <Amount value={wholeOf(market.volume_24h)} unit={volumeUnit(market)} /> in 24 h
        </span>
      </span>
    </>
  );
}

function OrderLine({ order }: { readonly order: Asked }): ReactNode {
  const { side, size, price, exchange, state, market_id: market } = order;
  return (
    <>
      <span>
        Your order {side === null ? '' : `to ${side}`} <Amount value={size} /> at <Amount value={price} />, {state}
      </span>
      <span className={css.facts}>
        <span>{exchangeName(exchange)}</span>
        <code>{plainText(market ?? '', 60)}</code>
        <code>{plainText(nameOf(order), 80)}</code>
      </span>
    </>
  );
}

function Line({ choice }: { readonly choice: Choice }): ReactNode {
  if (choice.kind === 'market') return <MarketLine market={choice.market} />;
  if (choice.kind === 'order') return <OrderLine order={choice.order} />;
  if (choice.kind === 'command') return <CommandLine command={choice} />;
  return (
    <span className={ui.quoted}>
      All results for “<bdi>{plainText(choice.text, 80)}</bdi>”
    </span>
  );
}

interface ChoiceLineProps {
  readonly id: string;
  readonly choice: Choice;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

/** The keyboard stays in the field, which names the line that Enter chooses. */
export function ChoiceLine({ id, choice, isActive, onChoose }: ChoiceLineProps): ReactNode {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={css.choice}
      onClick={onChoose}
      ref={(line) => {
        if (isActive) line?.scrollIntoView({ block: 'nearest' });
      }}
    >
      <Line choice={choice} />
    </div>
  );
}
