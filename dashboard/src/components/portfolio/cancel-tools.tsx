import { memo, type ReactNode, useMemo, useState } from 'react';
import type { Markets } from '../../api/markets.js';
import type { Exchange, Order } from '../../api/portfolio.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { exchangeName, listed } from '../names.js';
import { Select } from '../select.js';
import { Button, ui } from '../ui.js';
import type { CancelQuestion } from './cancel.js';
import { marketTitle } from './cells.js';
import css from './portfolio.module.css';

interface ToolsProps {
  readonly exchanges: readonly Exchange[];
  readonly orders: readonly Order[];
  /** Exchanges of which no orders are known yet. */
  readonly waiting: readonly Exchange[];
  readonly markets: Markets;
  /** Id of the exchange that alone is shown; empty for all. */
  readonly chosen: string;
  readonly ask: (question: CancelQuestion) => void;
}

/** Markets with open orders, those with most first. */
function marketsOf(orders: readonly Order[]): { readonly order: Order; readonly count: number }[] {
  const counts = new Map<string, { order: Order; count: number }>();
  for (const order of orders) {
    const key = `${order.exchange} ${order.market_id}`;
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { order, count });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

interface MarketOrders {
  readonly order: Order;
  readonly title: string;
  readonly count: number;
}

function marketQuestion(exchange: Exchange, { order, title, count }: MarketOrders): CancelQuestion {
  return {
    targets: [{ kind: 'market', exchange, id: order.market_id }],
    title: 'Cancel your open orders of this market?',
    action: 'Cancel them',
    words: (
      <>
        <p>
          <ForeignText text={title} form="quoted" />, at {exchange.name}: {count}{' '}
          {count === 1 ? 'order was' : 'orders were'} read, of both sides and all outcomes. Those that are not loaded
          here are cancelled too.
        </p>
        <p>What has filled so far stays filled. Orders of other markets stay open.</p>
      </>
    ),
  };
}

function CancelMarket({ exchanges, orders, waiting, markets, chosen, ask }: ToolsProps): ReactNode {
  const [key, setKey] = useState('');
  const named = useMemo(() => {
    const found = marketsOf(orders.filter(({ exchange }) => chosen === '' || exchange === chosen));
    return found.map(({ order, count }) => {
      const title = marketTitle(order, markets);
      return { key: `${order.exchange} ${order.market_id}`, order, title, count };
    });
  }, [orders, markets, chosen]);
  const wanted = named.find((one) => one.key === key);
  const exchange = exchanges.find(({ id }) => id === wanted?.order.exchange);
  return (
    <>
      <Select
        label="Cancel the orders of one market"
        value={wanted === undefined ? '' : key}
        options={[
          [
            '',
            waiting.length === 0
              ? 'Choose a market'
              : `Choose a market (those of ${namesOf(waiting)} are not known yet)`,
          ],
          ...named.map(
            (one) => [one.key, `${exchangeName(one.order.exchange)}: ${plainText(one.title)} (${one.count})`] as const,
          ),
        ]}
        onChange={({ target }) => {
          setKey(target.value);
        }}
      />
      {wanted === undefined || exchange === undefined ? null : (
        <div className={ui.row}>
          <Button
            kind="danger"
            isSmall
            aria-haspopup="dialog"
            onClick={() => {
              ask(marketQuestion(exchange, wanted));
            }}
          >
            Cancel this market’s
          </Button>
        </div>
      )}
    </>
  );
}

function namesOf(exchanges: readonly Exchange[]): string {
  return listed(exchanges.map(({ name }) => name));
}

function allQuestion(exchanges: readonly Exchange[]): CancelQuestion {
  return {
    targets: exchanges.map((exchange) => ({ kind: 'all', exchange })),
    title: `Cancel all open orders at ${namesOf(exchanges)}?`,
    action: 'Cancel all of them',
    words: (
      <>
        <p>
          Every open order of yours at {namesOf(exchanges)}, in all markets, of both sides: also those that the market
          and side filters hide, and those that are not loaded here.
        </p>
        <p>
          What has filled so far stays filled. Your programs go on, and may place new ones: revoke the API key to stop
          them.
        </p>
      </>
    ),
  };
}

function PlainCancelTools(props: ToolsProps): ReactNode {
  const { chosen, ask } = props;
  const exchanges = props.exchanges.filter(({ id }) => chosen === '' || id === chosen);
  return (
    <div className={css.tools} role="group" aria-label="Cancel several orders">
      <CancelMarket {...props} />
      <div className={ui.row}>
        <Button
          kind="danger"
          isSmall
          aria-haspopup="dialog"
          onClick={() => {
            ask(allQuestion(exchanges));
          }}
        >
          {chosen === '' ? 'Cancel all open orders' : `Cancel all at ${namesOf(exchanges)}`}
        </Button>
      </div>
    </div>
  );
}

/** Cancels more than one order. Names every market of theirs: drawn anew with them alone, and not with each letter of a filter. */
export const CancelTools = memo(PlainCancelTools);
