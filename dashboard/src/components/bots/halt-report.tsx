import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import {
  type Bot,
  type HaltReport,
  putHaltAway,
  useGoOnHalting,
  useHaltResult,
  useWatchedBots,
} from '../../api/bots.js';
import { explain } from '../../api/explain.js';
import { Failure } from '../../api/failure.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { REASON } from '../portfolio/cancel-reasons.js';
import { Button, Card, FailureNotice, Notice, ui } from '../ui.js';
import css from './bots.module.css';
import { restOfHalt } from './words.js';

type ExchangeHalt = HaltReport['exchanges'][number];

function countText(orders: readonly unknown[]): string {
  return orders.length === 1 ? '1 order' : `${orders.length} orders`;
}

interface OrdersProps {
  readonly label: string;
  readonly exchange: ExchangeHalt['exchange'];
  readonly orders: readonly { readonly id: string | null; readonly why?: string }[];
}

/** Orders by their ids, each with the way to its life. */
function Orders({ label, exchange, orders }: OrdersProps): ReactNode {
  return (
    <ul className={css.orders} tabIndex={0} aria-label={label}>
      {orders.map(({ id, why }, index) => (
        <li key={id ?? index}>
          {id === null ? (
            'an order without an id'
          ) : (
            <Link to="/activity/orders/$id" params={{ id }} search={{ exchange }}>
              <code>{id}</code>
            </Link>
          )}
          {why === undefined ? '' : `: ${why}`}
        </li>
      ))}
    </ul>
  );
}

/** What the exchange, or the service, said in the place of an answer. */
function errorText({ code, message }: NonNullable<ExchangeHalt['error']>): string {
  const { happened, advice = '' } = explain(new Failure(code, message, ''));
  return `${happened} ${advice}`;
}

function AtExchange({ halt }: { readonly halt: ExchangeHalt }): ReactNode {
  const { exchange, cancelled, not_cancelled: left, unsettled, error } = halt;
  const name = exchangeName(exchange);
  return (
    <>
      {cancelled.length === 0 ? null : (
        <Notice kind="good">
          <strong>
            {countText(cancelled)} cancelled at {name}. What had filled stays filled.
          </strong>
          <Orders label={`Cancelled at ${name}`} exchange={exchange} orders={cancelled.map((id) => ({ id }))} />
        </Notice>
      )}
      {left.length === 0 ? null : (
        <Notice kind="bad">
          <strong>
            {countText(left)} not cancelled at {name}.
          </strong>
          <Orders
            label={`Not cancelled at ${name}`}
            exchange={exchange}
            orders={left.map(({ id, reason }) => ({
              id,
              why: REASON[reason] ?? 'the exchange did not say whether it is',
            }))}
          />
        </Notice>
      )}
      {unsettled.length === 0 ? null : (
        <Notice kind="bad">
          <strong>
            Not known whether {countText(unsettled)} {unsettled.length === 1 ? 'is' : 'are'} at {name}.
          </strong>
          <Orders
            label={`Not known at ${name}`}
            exchange={exchange}
            orders={unsettled.map(({ order_id: id, client_order_id: own }) => ({ id: id ?? own }))}
          />
        </Notice>
      )}
      {error === null ? null : (
        <Notice kind="bad">
          <strong>Orders at {name} may still be open.</strong>
          <span>{errorText(error)}</span>
        </Notice>
      )}
    </>
  );
}

/** Of a bot that had nothing to cancel there is nothing more to say. */
function isQuiet({ exchanges, complete }: HaltReport): boolean {
  return (
    complete &&
    exchanges.every(
      (one) => one.cancelled.length + one.not_cancelled.length + one.unsettled.length === 0 && one.error === null,
    )
  );
}

interface ReportProps {
  readonly report: HaltReport;
  readonly name: string;
  /** As it is by now; undefined where that is not known. */
  readonly bot: Bot | undefined;
}

const GOES_ON = 'No order of it begins any more, and the service goes on cancelling by itself.';
const NOTHING_LEFT = 'As far as the service knows by now, nothing of it is open any more.';

function Report({ report, name, bot }: ReportProps): ReactNode {
  const { exchanges, complete, removed } = report;
  const isOver = bot !== undefined && bot.halted !== null && restOfHalt(bot) === null;
  return (
    <section className={css.report} aria-label={`The halt of ${name}`}>
      <h3>
        <ForeignText text={name} form="quoted" /> is {removed ? 'removed' : 'halted'}
      </h3>
      {exchanges.map((halt) => (
        <AtExchange key={halt.exchange} halt={halt} />
      ))}
      {complete ? null : (
        <Notice kind="bad">
          <strong>This halt is not complete.</strong>
          <span>{isOver ? NOTHING_LEFT : GOES_ON}</span>
        </Notice>
      )}
    </section>
  );
}

/** Asks how it stands, which cancels once more what is left. */
function GoOn({ reports }: { readonly reports: readonly HaltReport[] }): ReactNode {
  const goOn = useGoOnHalting(reports);
  if (reports.every(({ complete }) => complete)) return null;
  return (
    <div className={ui.row}>
      <Button
        kind="danger"
        disabled={goOn.isPending}
        onClick={() => {
          goOn.mutate();
        }}
      >
        {goOn.isPending ? 'Cancelling, up to 30 s…' : 'Cancel the rest now'}
      </Button>
      {goOn.error === null ? null : <FailureNotice error={goOn.error} />}
    </div>
  );
}

/** Bots that had nothing to cancel, together. */
function Quiet({ names }: { readonly names: readonly string[] }): ReactNode {
  if (names.length === 0) return null;
  return (
    <Notice>
      <span>
        Halted, with no open order to cancel:{' '}
        {names.map((name, index) => (
          <Fragment key={name}>
            {index === 0 ? '' : ', '}
            <ForeignText text={name} form="quoted" />
          </Fragment>
        ))}
        .
      </span>
    </Notice>
  );
}

/** Takes the focus after a halt: what was pressed may be gone. */
export const HALT_RESULT = 'halt-result';

/** What the last halt came to, bot by bot, on whatever page, until the reader has put it away. */
export function LastHalt(): ReactNode {
  const reports = useHaltResult();
  const { data: bots } = useWatchedBots(reports?.some(({ complete }) => !complete) === true);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (reports === null) return;
    place.current?.scrollIntoView({ block: 'nearest' });
    place.current?.focus({ preventScroll: true });
  }, [reports]);
  if (reports === null) return null;
  const botOf = ({ bot_id: botId }: HaltReport): Bot | undefined => bots?.find(({ id }) => id === botId);
  const nameOf = (report: HaltReport): string => botOf(report)?.name ?? report.bot_id;
  return (
    <div ref={place} id={HALT_RESULT} tabIndex={-1}>
      <Card
        title="What became of the halt"
        aside={
          <Button isSmall onClick={putHaltAway}>
            Put away
          </Button>
        }
      >
        {reports.length === 0 ? <Notice>There was no bot to halt.</Notice> : null}
        <Quiet names={reports.filter(isQuiet).map(nameOf)} />
        {reports
          .filter((report) => !isQuiet(report))
          .map((report) => (
            <Report key={report.bot_id} report={report} name={nameOf(report)} bot={botOf(report)} />
          ))}
        <GoOn reports={reports} />
      </Card>
    </div>
  );
}
