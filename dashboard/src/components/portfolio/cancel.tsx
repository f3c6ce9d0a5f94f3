import { type ReactNode, useState } from 'react';
import { type CancelTarget, type Exchange, type Order, useCancel } from '../../api/portfolio.js';
import { Confirm } from '../confirm.js';
import { Select } from '../form.js';
import { exchangeName } from '../names.js';
import { ui } from '../ui.js';
import type { Access } from './access.js';
import { type Markets, marketTitle, orderText } from './cells.js';
import css from './portfolio.module.css';

interface CancelButtonProps {
  readonly access: Access;
  readonly targets: readonly CancelTarget[];
  /** The orders as they stand, to name them afterwards. */
  readonly orders: readonly Order[];
  readonly trigger: string;
  /** As the trigger, where several say the same: what it does to which. */
  readonly triggerLabel?: string;
  readonly title: string;
  readonly action: string;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks, then cancels once; what became of it is shown over the lists. */
function CancelButton({ access, targets, orders, children, ...words }: CancelButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const cancel = useCancel(access.known, orders);
  return (
    <Confirm
      {...words}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (!cancel.isPending) cancel.reset();
      }}
      busy="Cancelling…"
      keep="Keep open"
      isPending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => {
        cancel.mutate(targets, {
          onSuccess: () => {
            setOpen(false);
          },
        });
      }}
    >
      {children}
    </Confirm>
  );
}

interface CancelOrderProps {
  readonly access: Access;
  readonly order: Order;
  readonly markets: Markets;
}

export function CancelOrder({ access, order, markets }: CancelOrderProps): ReactNode {
  const exchange = access.exchanges.find(({ id }) => id === order.exchange);
  if (exchange === undefined) return null;
  return (
    <CancelButton
      access={access}
      targets={[{ kind: 'order', exchange, id: order.id }]}
      orders={[order]}
      trigger="Cancel"
      triggerLabel={`Cancel ${orderText(order, markets)}, ${marketTitle(order, markets)}`}
      title="Cancel this order?"
      action="Cancel the order"
    >
      <p>
        {orderText(order, markets)}, {marketTitle(order, markets)}, at {exchange.name}.
      </p>
      <p>What has filled so far stays filled. Until the exchange answers, it may go on filling.</p>
    </CancelButton>
  );
}

interface ToolsProps {
  readonly access: Access;
  readonly orders: readonly Order[];
  readonly markets: Markets;
  /** Id of the exchange that alone is shown; empty for all. */
  readonly chosen: string;
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

function CancelMarket({ access, orders, markets, chosen }: ToolsProps): ReactNode {
  const [key, setKey] = useState('');
  const found = marketsOf(orders.filter(({ exchange }) => chosen === '' || exchange === chosen));
  const named = found.map(({ order, count }) => {
    const title = marketTitle(order, markets);
    return { key: `${order.exchange} ${order.market_id}`, order, title, count };
  });
  const wanted = named.find((one) => one.key === key);
  const exchange = access.exchanges.find(({ id }) => id === wanted?.order.exchange);
  return (
    <>
      <Select
        label="Cancel the orders of one market"
        value={wanted === undefined ? '' : key}
        options={[
          ['', 'Choose a market'],
          ...named.map((one) => [one.key, `${exchangeName(one.order.exchange)}: ${one.title} (${one.count})`] as const),
        ]}
        onChange={({ target }) => {
          setKey(target.value);
        }}
      />
      {wanted === undefined || exchange === undefined ? null : (
        <div className={ui.row}>
          <CancelButton
            access={access}
            targets={[{ kind: 'market', exchange, id: wanted.order.market_id }]}
            orders={orders}
            trigger="Cancel this market’s"
            title="Cancel your open orders of this market?"
            action="Cancel them"
          >
            <p>
              {wanted.title}, at {exchange.name}: {wanted.count} {wanted.count === 1 ? 'order was' : 'orders were'}{' '}
              read, of both sides and all outcomes. Those that are not loaded here are cancelled too.
            </p>
            <p>What has filled so far stays filled. Orders of other markets stay open.</p>
          </CancelButton>
        </div>
      )}
    </>
  );
}

function namesOf(exchanges: readonly Exchange[]): string {
  return exchanges.map(({ name }) => name).join(' and ');
}

/** Cancels more than one order. */
export function CancelTools(props: ToolsProps): ReactNode {
  const { access, orders, chosen } = props;
  const exchanges = access.exchanges.filter(({ id }) => chosen === '' || id === chosen);
  return (
    <div className={css.tools} role="group" aria-label="Cancel several orders">
      <CancelMarket {...props} />
      <div className={ui.row}>
        <CancelButton
          access={access}
          targets={exchanges.map((exchange) => ({ kind: 'all', exchange }))}
          orders={orders}
          trigger={chosen === '' ? 'Cancel all open orders' : `Cancel all at ${namesOf(exchanges)}`}
          title={`Cancel all open orders at ${namesOf(exchanges)}?`}
          action="Cancel all of them"
        >
          <p>
            Every open order of yours at {namesOf(exchanges)}, in all markets, of both sides: also those that the market
            and side filters hide, and those that are not loaded here.
          </p>
          <p>
            What has filled so far stays filled. Your programs go on, and may place new ones: revoke the API key to stop
            them.
          </p>
        </CancelButton>
      </div>
    </div>
  );
}
