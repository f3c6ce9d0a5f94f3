import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { OrderBody } from '../../api/order-body.js';
import { installation } from '../../installation.js';
import { InLanguages } from '../in-languages.js';
import { Button, CopyButton, ui } from '../ui.js';
import { orderLines } from './order-lines.js';

/** 128 random bits: pages that are not served by https have no `randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `ticket-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

interface OrderCallsProps {
  readonly exchange: string;
  readonly body: OrderBody;
}

/** The call that places exactly this order, for a program of the reader's. */
export function OrderCalls({ exchange, body }: OrderCallsProps): ReactNode {
  const [turn, setTurn] = useState(0);
  const terms = `${JSON.stringify(body)} ${turn}`;
  const idempotencyKey = useMemo(() => ({ terms, key: newKey() }), [terms]).key;
  const call = { url: installation.public_url, exchange, body, idempotencyKey };
  return (
    <div className={ui.stack}>
      <InLanguages label="Language of the order" lines={(language) => orderLines(language, call)}>
        {(language, name) => (
          <>
            <CopyButton text={orderLines(language, call)} what={`the order in ${name}`} />
            <Button
              isSmall
              onClick={() => {
                setTurn(turn + 1);
              }}
            >
              Lines for one more
            </Button>
          </>
        )}
      </InLanguages>
      <p className={ui.hint}>
        Put <Link to="/bots">a bot’s key</Link>, or your main one, in the place of YOUR_KEY. Run once or several times,
        in whichever language, these lines place one order: its Idempotency-Key says that it is the same.
      </p>
    </div>
  );
}
