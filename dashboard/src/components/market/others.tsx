import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId, Market } from '../../api/client.js';
import { useEventMarkets } from '../../api/markets.js';
import { useSameWords } from '../../api/same-words.js';
import { type Exchange, installation } from '../../installation.js';
import { ForeignText } from '../foreign-text.js';
import { MarketTable, onceEach } from '../markets/market-table.js';
import { NO_CATALOGUE } from '../search/ages.js';
import { Card, Loaded, Notice, ui } from '../ui.js';

interface EventProps {
  readonly exchange: ExchangeId;
  readonly event: string;
  /** Of the market that the page is of. */
  readonly id: string;
}

function OthersOfEvent({ exchange, event, id }: EventProps): ReactNode {
  const query = useEventMarkets({ exchange, event, status: 'open' });
  return (
    <Card title="Other markets of its event">
      <Loaded query={query} height={120}>
        {({ pages }) => {
          const others = onceEach(pages.flatMap(({ data }) => data)).filter((market) => market.id !== id);
          return others.length === 0 ? (
            <p className={ui.soft}>No other market of this event is open.</p>
          ) : (
            <MarketTable label="Other markets of its event" markets={others} />
          );
        }}
      </Loaded>
      <p className={ui.hint}>
        Open ones, as they were when this page read them.{query.hasNextPage ? ' There are more. ' : ' '}
        <Link to="/markets" search={{ exchange, event }}>
          See the whole event
        </Link>
      </p>
    </Card>
  );
}

interface ElsewhereProps {
  readonly exchange: Exchange;
  readonly title: string;
}

function Elsewhere({ exchange, title }: ElsewhereProps): ReactNode {
  const query = useSameWords(exchange.id, title);
  return (
    <Card title={`The same words at ${exchange.name}`}>
      <Loaded query={query} height={120}>
        {({ words, markets }) => (
          <>
            {markets.length === 0 ? (
              <p className={ui.soft}>No open market of {exchange.name} has the words of this title.</p>
            ) : (
              <MarketTable label={`The same words at ${exchange.name}`} markets={markets} />
            )}
            {words === '' ? null : (
              <p className={ui.hint}>
                {markets.length === 0 ? 'Searched for' : `The best ${markets.length} by`} the words{' '}
                <ForeignText form="quoted" text={words} />. Words alone: it may ask something else, or be decided
                otherwise.{' '}
                <Link to="/markets" search={{ search: words, exchange: exchange.id }}>
                  Search them
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface OthersProps {
  readonly exchange: ExchangeId;
  readonly market: Market;
}

/** What stands beside this market: those of its event, and those elsewhere that share its words. */
export function Others({ exchange, market }: OthersProps): ReactNode {
  const elsewhere = installation.exchanges.filter(({ id }) => id !== exchange);
  return (
    <>
      {market.event_id === null ? null : <OthersOfEvent exchange={exchange} event={market.event_id} id={market.id} />}
      {elsewhere.map((one) =>
        installation.catalogue_refresh_s > 0 ? (
          <Elsewhere key={one.id} exchange={one} title={market.title.replaceAll('**', '')} />
        ) : (
          <Card key={one.id} title={`The same words at ${one.name}`}>
            <Notice>{NO_CATALOGUE}</Notice>
          </Card>
        ),
      )}
    </>
  );
}
