import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Market } from '../api/client.js';
import { useStream } from '../api/live.js';
import { type MarketPlace, readAgain, useIsReading, useMarket } from '../api/markets.js';
import { FirstCall } from '../components/first-call.js';
import { ForeignText } from '../components/foreign-text.js';
import { PageTitle } from '../components/frame.js';
import { Facts } from '../components/market/facts.js';
import css from '../components/market/market.module.css';
import { OrderBook } from '../components/market/order-book.js';
import { outcomeName } from '../components/market/outcome.js';
import { Others } from '../components/market/others.js';
import { Own } from '../components/market/own.js';
import { Quotes } from '../components/market/quotes.js';
import { Ticket } from '../components/market/ticket.js';
import { Candles } from '../components/markets/candles.js';
import { Trades } from '../components/markets/trades.js';
import { plainTitle } from '../components/names.js';
import { Button, Card, Loaded, Notice, ui } from '../components/ui.js';
import { type Exchange, installation } from '../installation.js';

const route = getRouteApi('/inside/markets/$exchange/$id');

interface TradingProps {
  readonly exchange: Exchange;
  readonly place: MarketPlace;
  readonly market: Market;
}

function Trading({ exchange, place, market }: TradingProps): ReactNode {
  const { outcome: index = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const outcome = market.outcomes.find((one) => one.index === index) ?? market.outcomes[0];
  if (outcome === undefined) return <Notice>The exchange names no outcomes of this market yet.</Notice>;
  const choose = (chosen: number): void => {
    void navigate({ search: (view) => ({ ...view, outcome: chosen }), replace: true });
  };
  const chosen = { place, market, outcome, onChoose: choose };
  return (
    <>
      <Quotes {...chosen} />
      <div className={css.watch}>
        <Candles place={place} outcome={{ index: outcome.index, label: outcomeName(outcome, market) }} />
        <div className={css.pair}>
          <OrderBook {...chosen} />
          <Trades place={place} note={exchange.trades_note} />
        </div>
      </div>
      <Ticket exchange={exchange} market={market} outcome={outcome} onChoose={choose} />
    </>
  );
}

function RefreshAll({ place }: { readonly place: MarketPlace }): ReactNode {
  const isReading = useIsReading(place);
  return (
    <Button isSmall onClick={() => void readAgain(place)} disabled={isReading}>
      {isReading ? 'Reading…' : 'Refresh'}
    </Button>
  );
}

interface ShownProps {
  readonly exchange: Exchange;
  readonly id: string;
}

/** What of a market moves by itself. */
const CHANNELS = ['orderbooks', 'trades', 'markets'] as const;

/** Nothing of it stands before the market is known: nothing jumps then. */
function Shown({ exchange, id }: ShownProps): ReactNode {
  const place = { exchange: exchange.id, id };
  const market = useMarket(place);
  // What the exchange does not know has no stream either.
  useStream(
    market.data === undefined ? [] : CHANNELS.map((channel) => ({ exchange: place.exchange, channel, marketId: id })),
  );
  return (
    <>
      <PageTitle isForeign={market.data !== undefined}>
        {market.data === undefined ? 'Market' : plainTitle(market.data.title)}
      </PageTitle>
      <Loaded query={market} height={600}>
        {(data) => (
          <>
            <div className={css.whole}>
              <Card title={`At ${exchange.name}`} aside={<RefreshAll place={place} />}>
                {data.subtitle === null ? null : (
                  <p>
                    <strong>
                      <ForeignText text={data.subtitle} />
                    </strong>
                  </p>
                )}
                <Facts market={data} exchange={place.exchange} />
                <details>
                  <summary>Whole title, and how it is decided</summary>
                  <div className={ui.stack}>
                    <ForeignText form="whole" text={data.title.replaceAll('**', '')} />
                    {data.description === null ? null : <ForeignText form="whole" text={data.description} />}
                  </div>
                </details>
              </Card>
              <Trading exchange={exchange} place={place} market={data} />
            </div>
            <Own exchange={exchange} market={data} />
            <Others exchange={exchange.id} market={data} />
            <Card title="From your program">
              <FirstCall path={`/${place.exchange}/markets/${encodeURIComponent(place.id)}`} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
}

export function MarketPage(): ReactNode {
  const { exchange: named, id } = route.useParams();
  const exchange = installation.exchanges.find((one) => one.id === named);
  return (
    <>
      <p>
        <Link to="/markets">All markets</Link>
      </p>
      {exchange === undefined ? (
        <>
          <PageTitle>There is no such exchange</PageTitle>
          <p>The address may be mistyped. Look for the market in the list.</p>
        </>
      ) : (
        <Shown key={`${exchange.id} ${id}`} exchange={exchange} id={id} />
      )}
    </>
  );
}
