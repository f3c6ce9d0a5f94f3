import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId, Market } from '../api/client.js';
import { useStream } from '../api/live.js';
import { type MarketPlace, readAgain, useIsReading, useMarket, useOrderBook } from '../api/markets.js';
import { Amount, placesOf } from '../components/amount.js';
import { FirstCall } from '../components/first-call.js';
import { ForeignText, plainText } from '../components/foreign-text.js';
import { PageTitle } from '../components/frame.js';
import { NotLive } from '../components/live.js';
import { Candles } from '../components/markets/candles.js';
import css from '../components/markets/markets.module.css';
import { OrderBook } from '../components/markets/order-book.js';
import { Segmented } from '../components/markets/segmented.js';
import { Trades } from '../components/markets/trades.js';
import { plainTitle } from '../components/names.js';
import { Time } from '../components/time.js';
import { Button, Card, CopyButton, Loaded, Notice, ui } from '../components/ui.js';
import { type Exchange, installation } from '../installation.js';

const route = getRouteApi('/inside/markets/$exchange/$id');

/** Of an outcome on a button and in a heading, in signs. */
const LABEL = 60;

function When({ iso }: { readonly iso: string | null }): ReactNode {
  return iso === null ? 'not stated' : <Time iso={iso} />;
}

function resultOf({ result, outcomes }: Market): string | null {
  if (result === null) return null;
  const { outcome_index: winner, settlement_price: price } = result;
  const paid = price === null ? '' : ` “${outcomes[0]?.label ?? 'The first outcome'}” pays ${price}.`;
  return winner === null ? `Split or scalar.${paid}` : `“${outcomes[winner]?.label ?? 'An outcome'}” won.${paid}`;
}

function Facts({ market, exchange }: { readonly market: Market; readonly exchange: ExchangeId }): ReactNode {
  const result = resultOf(market);
  const unit = market.volume_unit === 'currency' ? market.currency : 'contracts';
  return (
    <dl className={ui.facts}>
      <dt>Status</dt>
      <dd>
        {market.status}, {market.tradable ? 'takes orders' : 'takes no orders now'}
      </dd>
      {result === null ? null : (
        <>
          <dt>Result</dt>
          <dd>
            <ForeignText text={result} />
          </dd>
        </>
      )}
      <dt>Closes</dt>
      <dd>
        <When iso={market.close_time} />
      </dd>
      <dt>Volume</dt>
      <dd>
        <Amount value={market.volume} unit={unit} />
      </dd>
      <dt>In 24 hours</dt>
      <dd>
        <Amount value={market.volume_24h} unit={unit} />
      </dd>
      <dt>Market id</dt>
      <dd className={ui.row}>
        <code className={css.id}>{market.id}</code>
        <CopyButton text={market.id} what="the market id" />
      </dd>
      {market.event_id === null ? null : (
        <>
          <dt>Event</dt>
          <dd>
            <Link to="/markets" search={{ exchange, event: market.event_id }}>
              All markets of {market.event_id}
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}

interface QuotesProps {
  readonly place: MarketPlace;
  readonly outcome: Market['outcomes'][number];
}

/** The quotes in the places of the market's tick; where its book names none, in those of bid and ask, which are on it. */
function Quotes({ place, outcome }: QuotesProps): ReactNode {
  const tick = useOrderBook(place, outcome.index).data?.tick_size ?? null;
  const quoted = [outcome.bid, outcome.ask].filter((price) => price !== null);
  const known = tick === null ? quoted : [tick];
  const places = known.length === 0 ? undefined : placesOf(known);
  return (
    <dl className={css.quotes}>
      {(['bid', 'ask', 'last_price'] as const).map((name) => (
        <div key={name}>
          <dt className={ui.hint}>{name === 'last_price' ? 'Last' : name === 'bid' ? 'Bid' : 'Ask'}</dt>
          <dd className={css.price}>
            <Amount value={outcome[name]} places={places} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface TradingProps {
  readonly exchange: Exchange;
  readonly place: MarketPlace;
  readonly market: Market;
}

function Trading({ exchange, place, market }: TradingProps): ReactNode {
  const { outcome: index = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const { outcomes } = market;
  const outcome = outcomes.find((one) => one.index === index) ?? outcomes[0];
  if (outcome === undefined) return <Notice>The exchange names no outcomes of this market yet.</Notice>;
  const options = outcomes.map((one) => ({ value: String(one.index), label: plainText(one.label, LABEL) }));
  const named = { index: outcome.index, label: plainText(outcome.label, LABEL) };
  return (
    <>
      <Card
        title="Outcome"
        aside={
          <Segmented
            label="Outcome"
            options={options}
            value={String(outcome.index)}
            onChange={(chosen) => {
              void navigate({ search: (view) => ({ ...view, outcome: Number(chosen) }), replace: true });
            }}
          />
        }
      >
        <Quotes place={place} outcome={outcome} />
        <NotLive lines={[{ exchange: place.exchange, channel: 'markets', marketId: place.id }]} />
        <p className={ui.hint}>
          One contract of <ForeignText form="quoted" text={outcome.label} /> pays 1 {market.currency} if it wins. Prices
          are in {market.currency}.
        </p>
      </Card>
      <Candles place={place} outcome={named} />
      <div className={css.pair}>
        <OrderBook place={place} outcome={named} />
        <Trades place={place} note={exchange.trades_note} />
      </div>
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
