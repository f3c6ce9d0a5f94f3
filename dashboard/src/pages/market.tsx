import { useIsFetching } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Market } from '../api/client.js';
import { type MarketPlace, readAgain, useMarket } from '../api/markets.js';
import { FirstCall } from '../components/first-call.js';
import { PageTitle } from '../components/frame.js';
import { Candles } from '../components/markets/candles.js';
import css from '../components/markets/markets.module.css';
import { OrderBook } from '../components/markets/order-book.js';
import { Segmented } from '../components/markets/segmented.js';
import { Trades } from '../components/markets/trades.js';
import { WithKey } from '../components/markets/with-key.js';
import { exchangeName, plainTitle } from '../components/names.js';
import { Button, Card, CopyButton, Loaded, Notice, Time, ui } from '../components/ui.js';
import { installation } from '../installation.js';
import type { KnownKey } from '../session/keyring.js';

const route = getRouteApi('/inside/markets/$exchange/$id');

function When({ iso }: { readonly iso: string | null }): ReactNode {
  return iso === null ? 'not stated' : <Time iso={iso} />;
}

function resultOf({ result, outcomes }: Market): string | null {
  if (result === null) return null;
  const { outcome_index: winner, settlement_price: price } = result;
  const paid = price === null ? '' : ` ${outcomes[0]?.label ?? 'The first outcome'} pays ${price}.`;
  return winner === null ? `Split or scalar.${paid}` : `${outcomes[winner]?.label ?? 'An outcome'} won.${paid}`;
}

function Facts({ market }: { readonly market: Market }): ReactNode {
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
          <dd>{result}</dd>
        </>
      )}
      <dt>Closes</dt>
      <dd>
        <When iso={market.close_time} />
      </dd>
      <dt>Volume</dt>
      <dd>{market.volume === null ? 'not stated' : `${market.volume} ${unit}`}</dd>
      <dt>In 24 hours</dt>
      <dd>{market.volume_24h === null ? 'not stated' : `${market.volume_24h} ${unit}`}</dd>
      <dt>Market id</dt>
      <dd className={ui.row}>
        <code className={css.id}>{market.id}</code>
        <CopyButton text={market.id} what="the market id" />
      </dd>
      {market.event_id === null || market.exchange !== 'kalshi' ? null : (
        <>
          <dt>Event</dt>
          <dd>
            <Link to="/markets" search={{ exchange: 'kalshi', event: market.event_id }}>
              All markets of {market.event_id}
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}

function Quotes({ outcome }: { readonly outcome: Market['outcomes'][number] }): ReactNode {
  return (
    <dl className={css.quotes}>
      {(['bid', 'ask', 'last_price'] as const).map((name) => (
        <div key={name}>
          <dt className={ui.hint}>{name === 'last_price' ? 'Last' : name === 'bid' ? 'Bid' : 'Ask'}</dt>
          <dd className={css.price}>{outcome[name] ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TradingProps {
  readonly known: KnownKey;
  readonly place: MarketPlace;
  readonly market: Market;
}

function Trading({ known, place, market }: TradingProps): ReactNode {
  const [index, setIndex] = useState('0');
  const { outcomes } = market;
  const outcome = outcomes.find((one) => String(one.index) === index) ?? outcomes[0];
  if (outcome === undefined) return <Notice>The exchange names no outcomes of this market yet.</Notice>;
  const options = outcomes.map((one) => ({ value: String(one.index), label: one.label }));
  return (
    <>
      <Card
        title="Outcome"
        aside={<Segmented label="Outcome" options={options} value={String(outcome.index)} onChange={setIndex} />}
      >
        <Quotes outcome={outcome} />
        <p className={ui.hint}>
          One contract of {outcome.label} pays 1 {market.currency} if it wins. Prices are in {market.currency}.
        </p>
      </Card>
      <Candles known={known} place={place} outcome={outcome} />
      <div className={css.pair}>
        <OrderBook known={known} place={place} outcome={outcome} />
        <Trades known={known} place={place} />
      </div>
    </>
  );
}

function RefreshAll({ place }: { readonly place: MarketPlace }): ReactNode {
  const isReading = useIsFetching({ predicate: ({ queryKey }) => queryKey.includes(place.id) }) > 0;
  return (
    <Button isSmall onClick={() => void readAgain(place)} disabled={isReading}>
      {isReading ? 'Reading…' : 'Refresh'}
    </Button>
  );
}

function Shown({ known, place }: { readonly known: KnownKey; readonly place: MarketPlace }): ReactNode {
  const market = useMarket(known, place);
  return (
    <>
      <PageTitle>{market.data === undefined ? 'Market' : plainTitle(market.data.title)}</PageTitle>
      <Card title={`At ${exchangeName(place.exchange)}`} aside={<RefreshAll place={place} />}>
        <Loaded query={market} height={260}>
          {(data) => (
            <>
              {data.subtitle === null ? null : (
                <p>
                  <strong>{data.subtitle}</strong>
                </p>
              )}
              <Facts market={data} />
              {data.description === null ? null : (
                <details>
                  <summary>How it is decided</summary>
                  <p className={css.id}>{data.description}</p>
                </details>
              )}
            </>
          )}
        </Loaded>
      </Card>
      {market.data === undefined ? null : <Trading known={known} place={place} market={market.data} />}
      <Card title="From your program">
        <FirstCall
          prefix={known.prefix}
          wholeKey={known.key}
          path={`/${place.exchange}/markets/${encodeURIComponent(place.id)}`}
        />
      </Card>
    </>
  );
}

export function MarketPage(): ReactNode {
  const { exchange: named, id } = route.useParams();
  const exchange = installation.exchanges.find((one) => one.id === named)?.id;
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
        <WithKey title="Market">
          {(known) => <Shown key={`${exchange} ${id}`} known={known} place={{ exchange, id }} />}
        </WithKey>
      )}
    </>
  );
}
