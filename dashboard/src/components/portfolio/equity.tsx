import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type EquityPoint, useAccount, useEquity, useMidnight } from '../../api/account.js';
import type { Exchange } from '../../api/portfolio.js';
import { readMoney } from '../../api/queries.js';
import { Amount } from '../amount.js';
import { Age } from '../live.js';
import { Segmented } from '../markets/segmented.js';
import { OVERVIEW_SPANS, type OverviewSpan } from '../overview/search.js';
import { Button, Card, FailureNotice, Loaded, Skeleton, ui } from '../ui.js';
import { Course, courseOf, GAPS, nowOf } from './course.js';
import css from './equity.module.css';
import { AtLeast, type CurrencyProps, Facts, Partial } from './figures.js';
import { Hourly } from './hourly.js';
import { SPAN_LABELS, spanStart } from './spans.js';

/** In pixels: of the picture, of the picture with its bounds, and of the card before it is known. */
const PICTURE_HEIGHT = 120;
const COURSE_HEIGHT = 178;
const HEIGHT = 560;

interface EquityProps {
  readonly exchanges: readonly Exchange[];
  readonly span: OverviewSpan;
  readonly onSpan: (span: OverviewSpan) => void;
}

interface CourseProps extends CurrencyProps {
  /** Undefined before they are read. */
  readonly points: readonly EquityPoint[] | undefined;
  readonly span: OverviewSpan;
}

/** All in one currency: never added to another. */
function Currency({ points, span, ...props }: CourseProps): ReactNode {
  const { total, account, midnight } = props;
  const { currency, equity } = total;
  const from = spanStart(span, midnight);
  const now = { at: Date.parse(account.as_of), equity };
  const course = points && [...courseOf(points, currency).filter(({ at }) => at >= from), nowOf(points, currency, now)];
  return (
    <section className={css.currency} aria-label={`Equity in ${currency}`}>
      <div className={`${ui.stack ?? ''} ${css.figures ?? ''}`}>
        <p className={css.equity}>
          {equity === null ? <AtLeast {...props} /> : <Amount value={equity} places={2} unit={currency} />}
        </p>
        {total.partial ? <Partial {...props} /> : null}
        <Facts {...props} />
      </div>
      {course === undefined ? (
        <Skeleton height={COURSE_HEIGHT} />
      ) : (
        <Course currency={currency} points={course} height={PICTURE_HEIGHT} />
      )}
    </section>
  );
}

/** What all is worth, what it brought, and how it went: one part a currency. */
export function Equity({ exchanges, span, onSpan }: EquityProps): ReactNode {
  const account = useAccount();
  const midnight = useMidnight();
  const equity = useEquity(new Date(spanStart(span, midnight)).toISOString());
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
            {data.totals.map((total) => (
              <Currency
                key={total.currency}
                total={total}
                account={data}
                exchanges={exchanges.filter(({ currency }) => currency === total.currency)}
                midnight={midnight}
                points={equity.data?.data}
                span={span}
              />
            ))}
            {equity.error === null ? null : (
              <FailureNotice error={equity.error} onRetry={() => void equity.refetch()} />
            )}
            <Segmented
              label="How far back"
              options={OVERVIEW_SPANS.map((value) => ({ value, label: SPAN_LABELS[value] }))}
              value={span}
              onChange={onSpan}
            />
            {equity.data === undefined ? null : <Hourly isOn={equity.data.hourly} />}
            <p className={ui.hint}>
              Open: what positions are worth now, less what they cost. Deposits are no gain. {GAPS}{' '}
              <Link to="/portfolio" search={{ list: 'course', span }}>
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
