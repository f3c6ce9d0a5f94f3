import { type ReactNode, useCallback, useState } from 'react';
import type { Markets } from '../../api/markets.js';
import { type CancelTarget, type Order, useCancel } from '../../api/portfolio.js';
import { Confirm } from '../confirm.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { installation } from '../../installation.js';
import { Button } from '../ui.js';
import { marketTitle, orderText } from './cells.js';
import { CANCEL_RESULT } from './result.js';

/** What is asked before a cancel. */
export interface CancelQuestion {
  readonly targets: readonly CancelTarget[];
  readonly title: string;
  readonly action: string;
  /** What will happen. */
  readonly words: ReactNode;
}

const NO_QUESTION: CancelQuestion = { targets: [], title: '', action: '', words: null };

/**
 * One question for all cancels of a list: asks, then cancels once; what became of it is shown over the lists. `orders` are as they
 * stand, to name them afterwards.
 */
export function useCancelQuestion(
  orders: readonly Order[],
): readonly [ask: (question: CancelQuestion) => void, dialog: ReactNode] {
  const [{ targets, title, action, words }, setQuestion] = useState(NO_QUESTION);
  const [isOpen, setOpen] = useState(false);
  const cancel = useCancel(orders);
  const ask = useCallback((question: CancelQuestion) => {
    setQuestion(question);
    setOpen(true);
  }, []);
  const dialog = (
    <Confirm
      title={title}
      action={action}
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (!cancel.isPending) cancel.reset();
      }}
      busy="Cancelling…"
      keep="Keep open"
      resultId={CANCEL_RESULT}
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
      {words}
    </Confirm>
  );
  return [ask, dialog];
}

interface CancelOrderProps {
  readonly order: Order;
  readonly markets: Markets;
  readonly ask: (question: CancelQuestion) => void;
}

export function CancelOrder({ order, markets, ask }: CancelOrderProps): ReactNode {
  const exchange = installation.exchanges.find(({ id }) => id === order.exchange);
  if (exchange === undefined) return null;
  const [text, title] = [orderText(order, markets), marketTitle(order, markets)];
  return (
    <Button
      kind="danger"
      isSmall
      aria-haspopup="dialog"
      aria-label={plainText(`Cancel ${text}, ${title}`)}
      onClick={() => {
        ask({
          targets: [{ kind: 'order', exchange, id: order.id }],
          title: 'Cancel this order?',
          action: 'Cancel the order',
          words: (
            <>
              <p>
                <bdi>{plainText(text)}</bdi>, <ForeignText text={title} form="quoted" />, at {exchange.name}.
              </p>
              <p>What has filled so far stays filled. Until the exchange answers, it may go on filling.</p>
            </>
          ),
        });
      }}
    >
      Cancel
    </Button>
  );
}
