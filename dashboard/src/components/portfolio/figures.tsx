import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { subtract, sumOf } from '../../../../src/exchanges/decimal.js';
import { written } from '../../address.js';
import { type Account, DAYS_BEFORE, feesOf, type Total, useEquityBefore, useFeesSince } from '../../api/account.js';
import type { Exchange } from '../../api/portfolio.js';
import { todayOf } from '../../api/today.js';
import { type Holding, sumKnown, useHoldings } from '../../api/worth.js';
import { Amount, Known, moneyPlaces } from '../amount.js';
import { listed } from '../names.js';
import { Time } from '../time.js';
import { ui } from '../ui.js';
import { Result } from './cells.js';
import css from './equity.module.css';
import type { PortfolioSearch, View } from './search.js';

/** Won or lost, or that nobody knows it. */
function Won({ value, unit = '' }: { readonly value: string | null; readonly unit?: string }): ReactNode {
  if (value === null) return 'not known';
  return (
    <>
      <Result value={value} places={moneyPlaces([value])} />
      {unit === '' ? '' : ` ${unit}`}
    </>
  );
}

interface GainProps {
  readonly realised: string | null;
  readonly open: string | null;
  /** Null where they are not known, and so not taken off. */
  readonly fees: string | null;
}

/** What a result is made of. */
function Made({ realised, open, fees }: GainProps): ReactNode {
  return (
    <>
      realised <Won value={realised} />, open <Won value={open} />,{' '}
      {fees === null ? (
        'before fees'
      ) : (
        <>
          fees <Known value={fees} />
        </>
      )}
    </>
  );
}

/** After fees where they are known, else before them. */
function net(result: string | null, fees: string | null): string | null {
  return result === null || fees === null ? result : subtract(result, fees);
}

interface FactProps {
  readonly name: string;
  readonly value: ReactNode;
  /** What the value is made of, or why it is not known. */
  readonly more?: ReactNode;
  /** The list behind it; left out where the page itself has it. */
  readonly list?: View;
  /** Those whose list it is. */
  readonly exchanges?: readonly Exchange[];
}

/** Where the list behind a figure is: of one exchange where one alone has the currency. */
function searchOf(list: View, exchanges: readonly Exchange[]): PortfolioSearch {
  const [one, ...others] = exchanges;
  return { list, ...written({ exchange: others.length === 0 ? one?.id : undefined }) };
}

function Fact({ name, value, more = null, list, exchanges = [] }: FactProps): ReactNode {
  return (
    <div>
      <dt>
        {list === undefined ? (
          name
        ) : (
          <Link to="/portfolio" search={searchOf(list, exchanges)}>
            {name}
          </Link>
        )}
      </dt>
      <dd className={css.value}>{value}</dd>
      {more === null ? null : <dd className={css.more}>{more}</dd>}
    </div>
  );
}

export interface CurrencyProps {
  readonly total: Total;
  readonly account: Account;
  /** Those with this currency. */
  readonly exchanges: readonly Exchange[];
  readonly midnight: number;
}

const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: 'numeric', minute: '2-digit' });

/** What the reader's day brought. */
function TodayFact({ total, account, exchanges, midnight }: CurrencyProps): ReactNode {
  const points = useEquityBefore(midnight).data?.data;
  const { since, isToday, result, ...parts } = todayOf({ ...total, at: account.as_of }, points ?? [], midnight);
  const fees = useFeesSince(
    exchanges.map(({ id }) => id),
    since,
  );
  const nothing = points === undefined ? '\u00a0' : `nothing was recorded in the ${DAYS_BEFORE} days before today`;
  return (
    <Fact
      name={since === null || isToday ? 'Today' : `Since ${DAY_AND_CLOCK.format(Date.parse(since))}`}
      value={<Won value={net(result, fees)} unit={total.currency} />}
      list="fills"
      exchanges={exchanges}
      more={
        since === null ? (
          nothing
        ) : (
          <>
            since <Time iso={since} />: <Made {...parts} fees={fees} />
          </>
        )
      }
    />
  );
}

function feesIn({ account, exchanges }: CurrencyProps): { fees: string | null; silent: readonly Exchange[] } {
  const told = exchanges.map(({ id }) => account.exchanges.find(({ exchange }) => exchange === id));
  return {
    fees: feesOf(told.map((one) => one?.fees ?? null)),
    silent: exchanges.filter((_, at) => told[at]?.fees === null && told[at].error === null),
  };
}

/** Of the whole history. */
function GainFact(props: CurrencyProps): ReactNode {
  const { currency, realized_pnl: realised, unrealized_pnl: open } = props.total;
  const { fees } = feesIn(props);
  return (
    <Fact
      name="Profit and loss"
      value={<Won value={net(sumOf([realised, open]), fees)} unit={currency} />}
      more={<Made realised={realised} open={open} fees={fees} />}
      list="settlements"
      exchanges={props.exchanges}
    />
  );
}

function FeesFact(props: CurrencyProps): ReactNode {
  const { fees, silent } = feesIn(props);
  return (
    <Fact
      name="Fees"
      value={<Known value={fees} unit={props.total.currency} />}
      more={silent.length === 0 ? null : `${listed(silent.map(({ name }) => name))} does not tell all of them`}
      list="fills"
      exchanges={props.exchanges}
    />
  );
}

/** What could still be lost of open positions: all that they are worth now. What is decided is no risk. */
function RiskFact({ total: { currency, positions_value: held }, account, exchanges }: CurrencyProps): ReactNode {
  const { holdings } = useHoldings(exchanges);
  const told = account.exchanges.filter(({ exchange }) => exchanges.some(({ id }) => id === exchange));
  const decided = sumOf(told.map((one) => one.redeemable_value));
  const open = holdings.filter(({ position }) => position.status === 'open');
  const { value: least, unknown } = sumKnown(open.map(({ worth }) => worth.value));
  const count = unknown === 1 ? '1 position' : `${unknown} positions`;
  return (
    <Fact
      name="Open risk"
      value={<Known value={held === null || decided === null ? null : subtract(held, decided)} unit={currency} />}
      more={
        held !== null || unknown === 0 ? null : (
          <>
            {least === null ? '' : <>{<Known value={least} />} and </>}
            {count} without a price
          </>
        )
      }
      list="positions"
      exchanges={exchanges}
    />
  );
}

/** All figures of a currency but its equity. */
export function Facts(props: CurrencyProps): ReactNode {
  const { total, exchanges } = props;
  const { currency, cash, reserved, positions_value: held } = total;
  return (
    <dl className={css.facts}>
      <TodayFact {...props} />
      <GainFact {...props} />
      <RiskFact {...props} />
      <Fact
        name="In open orders"
        value={<Known value={reserved} unit={currency} />}
        list="orders"
        exchanges={exchanges}
      />
      <FeesFact {...props} />
      <Fact name="Cash" value={<Known value={cash} unit={currency} />} />
      <Fact name="Positions" value={<Known value={held} unit={currency} />} list="positions" exchanges={exchanges} />
    </dl>
  );
}

/** Why something of a currency is unknown, as far as that is known. */
function whyPartial({ account, exchanges }: CurrencyProps, holdings: readonly Holding[]): string {
  const failed = exchanges.filter(({ id }) =>
    account.exchanges.some(({ exchange, error }) => exchange === id && error !== null),
  );
  if (failed.length > 0) return `${listed(failed.map(({ name }) => name))} could not be read in full`;
  const unpriced = holdings.filter(({ worth }) => worth.value === null).length;
  if (unpriced > 0) return `nobody says what ${unpriced === 1 ? '1 position is' : `${unpriced} positions are`} worth`;
  return 'there is more than can be added up';
}

export function Partial(props: CurrencyProps): ReactNode {
  const { holdings } = useHoldings(props.exchanges);
  return (
    <p className={ui.hint}>
      <strong>Partial:</strong> {whyPartial(props, holdings)}. What depends on that is not known, which is not 0.
    </p>
  );
}

/** Of a total that is unknown, what it is at least: where prices of positions alone are missing. */
export function AtLeast({ total: { currency, cash, reserved }, exchanges }: CurrencyProps): ReactNode {
  const { holdings, partial } = useHoldings(exchanges);
  const { value, unknown } = sumKnown(holdings.map(({ worth }) => worth.value));
  const least = sumOf([cash, reserved, value ?? '0']);
  if (least === null || unknown === 0 || partial.has(currency)) return `${currency} not known`;
  return (
    <>
      <span className={css.aside}>at least</span> <Amount value={least} places={2} unit={currency} />
      <span className={css.aside}>, and {unknown === 1 ? '1 position' : `${unknown} positions`} without a price</span>
    </>
  );
}
