import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type Asked, doubtfulAt } from '../../api/asked-orders.js';
import { useMarkets } from '../../api/markets.js';
import { type GivenUp, useGiveUp } from '../../api/order-life.js';
import { AskedTerms, marketsOf } from '../asked.js';
import { Confirm } from '../confirm.js';
import { exchangeName } from '../names.js';
import { Time } from '../time.js';
import { Button, Card, Notice, ui, useSecondsUntil } from '../ui.js';

const RESULT = 'given-up';

interface OrderProps {
  readonly order: Asked;
}

/** What came of giving it up. */
function Result({ result, exchange }: { readonly result: GivenUp; readonly exchange: string }): ReactNode {
  if (result.state === 'none') return 'It is given up: nothing was made, and nothing is sent under its key any more.';
  if (result.state === 'cancelled')
    return `It is given up: ${exchange} had made it, and it is cancelled. What had filled before stays filled.`;
  if (result.state === 'closed') return `It is given up: it was over at ${exchange} before.`;
  return (
    <>
      It is given up, so nothing is sent under its key any more. What was sent before may show yet
      {result.until === null ? '' : <>, until {<Time iso={result.until} />}</>}: this service cancels it by itself once
      it does. Give it up again to learn what came of it.
    </>
  );
}

function Words({ order }: OrderProps): ReactNode {
  const markets = useMarkets(
    useMemo(() => marketsOf([order]), [order]),
    Infinity,
  );
  const exchange = exchangeName(order.exchange);
  return (
    <>
      <p>
        <AskedTerms asked={order} markets={markets} />, at {exchange}.
      </p>
      <p>
        This service asks {exchange} for it, and cancels what is left of it; what has filled stays filled. Nothing is
        sent under its key any more: a program that repeats its call is refused for 24 hours.
      </p>
    </>
  );
}

/** What its owner can do beside waiting. */
function Ways({ order, giveUp }: OrderProps & { readonly giveUp: ReturnType<typeof useGiveUp> }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (order.bot_id !== null) {
    return (
      <p>
        Your bot sent it:{' '}
        <Link to="/bots" hash={order.bot_id}>
          halt the bot
        </Link>{' '}
        to give it up. That looks for it, and cancels it with all else that the bot has open.
      </p>
    );
  }
  if (order.idempotency_key === null) {
    return (
      <p>
        No Idempotency-Key is bound to it by which it could be given up. Once {exchangeName(order.exchange)} shows it,
        it is among{' '}
        <Link to="/portfolio" search={{ list: 'orders' }}>
          your open orders
        </Link>
        .
      </p>
    );
  }
  return (
    <Confirm
      trigger="Give it up"
      title="Give this order up?"
      action="Give the order up"
      busy="Giving it up…"
      keep="Leave it"
      isOpen={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        if (!giveUp.isPending) giveUp.reset();
      }}
      resultId={RESULT}
      isPending={giveUp.isPending}
      error={giveUp.error}
      onConfirm={() => {
        giveUp.mutate(order, {
          onSuccess: () => {
            setOpen(false);
          },
        });
      }}
    >
      <Words order={order} />
    </Confirm>
  );
}

interface FateProps extends OrderProps {
  readonly isReading: boolean;
  readonly onLook: () => void;
}

/** Of an order of which it is not known what became of it: what is done about that, and what can be. */
export function Fate({ order, isReading, onLook }: FateProps): ReactNode {
  const giveUp = useGiveUp();
  const isSent = useSecondsUntil(doubtfulAt(order)) === 0;
  const isOpen = order.state === 'sending' || order.state === 'unknown';
  if (!isOpen && giveUp.data === undefined) return null;
  return (
    <Card
      title={isOpen ? 'Not known yet' : 'Given up'}
      aside={
        <Button isSmall disabled={isReading} onClick={onLook}>
          {isReading ? 'Looking…' : 'Look again'}
        </Button>
      }
    >
      <div id={RESULT} tabIndex={-1}>
        {giveUp.data === undefined ? null : (
          <Notice>
            <Result result={giveUp.data} exchange={exchangeName(order.exchange)} />
          </Notice>
        )}
      </div>
      {isOpen ? (
        <div className={ui.stack}>
          <p>
            {isSent
              ? `This service asks ${exchangeName(order.exchange)} for it by itself: every 5 s, from 2 minutes after the last call on once a minute, for a day after that call. Look again to see what it has learned.`
              : 'It is on its way. Look again in a moment.'}
          </p>
          {isSent ? <Ways order={order} giveUp={giveUp} /> : null}
        </div>
      ) : null}
    </Card>
  );
}
