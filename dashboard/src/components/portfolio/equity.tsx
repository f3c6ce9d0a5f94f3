import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { subtract, sumOf } from '../../../../src/exchanges/decimal.js';
import {
  type Account,
  DAY_MS,
  type EquityPoint,
  feesOf,
  type Total,
  useAccount,
  useEquity,
  useFeesSince,
  useMidnight,
} from '../../api/account.js';
import type { Exchange } from '../../api/portfolio.js';
import { readMoney } from '../../api/queries.js';
import { todayOf } from '../../api/today.js';
import { type Holding, sumKnown, useHoldings } from '../../api/worth.js';
import { Amount, Known, moneyPlaces } from '../amount.js';
import { Age } from '../live.js';
import { listed } from '../names.js';
import { Time } from '../time.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../ui.js';
import { Result } from './cells.js';
import { Course, type CoursePoint } from './course.js';
import css from './equity.module.css';

/** In pixels: of the picture, and of the card before it is known. */
const PICTURE_HEIGHT = 64;
const HEIGHT = 460;
/** The course of the overview, in days before today. */
const DAYS = 7;

/** The points of one currency. */
export function courseOf(points: readonly EquityPoint[], currency: string): CoursePoint[] {
  return points.flatMap(({ at, totals }) => {
    const total = totals.find((one) => one.currency === currency);
    return total === undefined ? [] : [{ at: Date.parse(at), equity: total.equity }];
  });
}

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
}

function Fact({ name, value, more = null }: FactProps): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd className={ui.number}>{value}</dd>
      {more === null ? null : <dd className={css.more}>{more}</dd>}
    </>
  );
}

interface CurrencyProps {
  readonly total: Total;
  readonly account: Account;
  /** Those with this currency. */
  readonly exchanges: readonly Exchange[];
  readonly midnight: number;
  /** Undefined before they are read. */
  readonly points: readonly EquityPoint[] | undefined;
}

const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: 'numeric', minute: '2-digit' });

function TodayFact({ total, account, exchanges, midnight, points }: CurrencyProps): ReactNode {
  const { since, isToday, result, ...parts } = todayOf({ ...total, at: account.as_of }, points ?? [], midnight);
  const fees = useFeesSince(
    exchanges.map(({ id }) => id),
    since,
  );
  const nothing = points === undefined ? null : `nothing was recorded in the ${DAYS} days before today`;
  return (
    <Fact
      name={since === null || isToday ? 'Today' : `Since ${DAY_AND_CLOCK.format(Date.parse(since))}`}
      value={<Won value={net(result, fees)} unit={total.currency} />}
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

/** Of the whole history. */
function GainFacts({ total, account, exchanges }: CurrencyProps): ReactNode {
  const { currency, realized_pnl: realised, unrealized_pnl: open } = total;
  const told = exchanges.map(({ id }) => account.exchanges.find(({ exchange }) => exchange === id));
  const fees = feesOf(told.map((one) => one?.fees ?? null));
  const silent = exchanges.filter((_, at) => told[at]?.fees === null && told[at].error === null);
  return (
    <>
      <Fact
        name="Profit and loss"
        value={<Won value={net(sumOf([realised, open]), fees)} unit={currency} />}
        more={<Made realised={realised} open={open} fees={fees} />}
      />
      <Fact
        name="Fees"
        value={<Known value={fees} unit={currency} />}
        more={silent.length === 0 ? null : `${listed(silent.map(({ name }) => name))} does not tell all of them`}
      />
    </>
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

function Partial(props: CurrencyProps): ReactNode {
  const { holdings } = useHoldings(props.exchanges);
  return (
    <p className={ui.hint}>
      <strong>Partial:</strong> {whyPartial(props, holdings)}. What depends on that is not known, which is not 0.
    </p>
  );
}

/** Of a total that is unknown, what it is at least: where prices of positions alone are missing. */
function AtLeast({ total: { currency, cash, reserved }, exchanges }: CurrencyProps): ReactNode {
  const { holdings, partial } = useHoldings(exchanges);
  const { value, unknown } = sumKnown(holdings.map(({ worth }) => worth.value));
  const least = sumOf([cash, reserved, value ?? '0']);
  if (least === null || unknown === 0 || partial.has(currency)) return `${currency} not known`;
  return (
    <>
      at least <Amount value={least} places={2} unit={currency} />, and{' '}
      {unknown === 1 ? '1 position' : `${unknown} positions`} without a price
    </>
  );
}

/** All in one currency: never added to another. */
function Currency(props: CurrencyProps): ReactNode {
  const { total, account, points } = props;
  const { currency, equity, cash, reserved, positions_value: held } = total;
  const course = points === undefined ? undefined : courseOf(points, currency);
  return (
    <section className={ui.stack} aria-label={`Equity in ${currency}`}>
      <p className={css.equity}>
        {equity === null ? <AtLeast {...props} /> : <Amount value={equity} places={2} unit={currency} />}
      </p>
      {total.partial ? <Partial {...props} /> : null}
      {course === undefined ? null : (
        <Course
          currency={currency}
          points={[...course, { at: Date.parse(account.as_of), equity }]}
          height={PICTURE_HEIGHT}
        />
      )}
      <dl className={css.facts}>
        <TodayFact {...props} />
        <GainFacts {...props} />
        <Fact name="Cash" value={<Known value={cash} unit={currency} />} />
        <Fact name="In open orders" value={<Known value={reserved} unit={currency} />} />
        <Fact name="Positions" value={<Known value={held} unit={currency} />} />
      </dl>
    </section>
  );
}

/** What all is worth, what it brought, and how it went: one part a currency. */
export function Equity({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const account = useAccount();
  const midnight = useMidnight();
  const equity = useEquity(new Date(midnight - DAYS * DAY_MS).toISOString());
  return (
    <Card
      title="Equity"
      aside={
        <div className={ui.row}>
          <span className={ui.hint}>
            {account.data === undefined ? null : <Age at={Date.parse(account.data.as_of)} />}
          </span>
          <Button isSmall onClick={() => void readMoney()} disabled={account.isFetching}>
            {account.isFetching ? 'Reading…' : 'Refresh'}
          </Button>
        </div>
      }
    >
      <Loaded query={account} height={HEIGHT}>
        {(data) => (
          <>
            <div className={css.currencies}>
              {data.totals.map((total) => (
                <Currency
                  key={total.currency}
                  total={total}
                  account={data}
                  exchanges={exchanges.filter(({ currency }) => currency === total.currency)}
                  midnight={midnight}
                  points={equity.data?.data}
                />
              ))}
            </div>
            {equity.error === null ? null : (
              <FailureNotice error={equity.error} onRetry={() => void equity.refetch()} />
            )}
            <p className={ui.hint}>
              Open: what positions are worth now, less what they cost. Deposits are no gain.{' '}
              <Link to="/portfolio" search={{ list: 'course' }}>
                Over time
              </Link>
              ,{' '}
              <Link to="/portfolio" search={{ list: 'settlements' }}>
                settlements
              </Link>
            </p>
          </>
        )}
      </Loaded>
    </Card>
  );
}
