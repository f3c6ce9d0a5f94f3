import type { ReactNode } from 'react';
import type { Bot } from '../../api/bots.js';
import { Amount } from '../amount.js';
import { ui } from '../ui.js';
import css from './bots.module.css';

interface BarProps {
  readonly label: string;
  readonly used: string;
  /** Null where there is no limit. */
  readonly allowed: string | null;
  readonly unit?: string | undefined;
}

/** From so many percent on a bar says that there is little left. */
const NEARLY_FULL = 90;

/** What is used of a limit; 0 of none. */
function percentOf(used: string, allowed: string | null): number {
  if (allowed === null) return 0;
  return Number(allowed) === 0 ? 100 : Math.min(100, (Number(used) / Number(allowed)) * 100);
}

/** What is used of a limit, in figures; the bar beside them is for the eye alone. */
function Bar({ label, used, allowed, unit }: BarProps): ReactNode {
  const percent = percentOf(used, allowed);
  return (
    <div className={css.bar} role="listitem">
      <span className={css.barHead}>
        <span className={ui.soft}>{label}</span>
        <span>
          <Amount value={used} {...(allowed === null && { unit })} />
          {allowed === null ? (
            <span className={ui.soft}>, no limit</span>
          ) : (
            <>
              {' '}
              of <Amount value={allowed} unit={unit} />
            </>
          )}
        </span>
      </span>
      {allowed === null ? null : (
        <span className={css.track} aria-hidden="true">
          <span className={css.fill} data-full={percent >= NEARLY_FULL} style={{ width: `${percent}%` }} />
        </span>
      )}
    </div>
  );
}

interface RiskProps {
  readonly label: string;
  readonly used: Bot['usage']['open_risk'];
  readonly allowed: string | null;
}

/** A limit of money holds in each currency by itself. */
function riskBars(label: string, used: Bot['usage']['open_risk'], allowed: string | null): BarProps[] {
  const currencies = Object.keys(used).sort();
  if (currencies.length === 0) return [{ label, used: '0', allowed }];
  return currencies.map((unit) => ({ label, used: used[unit] ?? '0', allowed, unit }));
}

function Risk({ label, used, allowed }: RiskProps): ReactNode {
  return riskBars(label, used, allowed).map((bar) => <Bar key={bar.unit ?? ''} {...bar} />);
}

function countText(count: number | null): string | null {
  return count === null ? null : String(count);
}

/** What the bot has taken of its limits. */
export function Usage({ bot }: { readonly bot: Bot }): ReactNode {
  const { usage, limits } = bot;
  return (
    <div className={css.bars} role="list" aria-label={`What ${bot.name} has used of its limits`}>
      <Risk label="Open risk" used={usage.open_risk} allowed={limits.max_open_risk} />
      <Risk label="Risk of this UTC day" used={usage.daily_risk} allowed={limits.max_daily_risk} />
      <Risk label="Risk in all" used={usage.total_risk} allowed={limits.max_total_risk} />
      <Bar label="Open orders" used={String(usage.open_orders)} allowed={countText(limits.max_open_orders)} />
      <Bar
        label="Orders in the last minute"
        used={String(usage.orders_last_minute)}
        allowed={countText(limits.max_orders_per_minute)}
      />
    </div>
  );
}

/** Each other limit that is nearly full. */
function nearlyFull({ usage, limits }: Bot): BarProps[] {
  const bars: BarProps[] = [
    ...riskBars('Open', usage.open_risk, limits.max_open_risk),
    ...riskBars('In all', usage.total_risk, limits.max_total_risk),
    { label: 'Orders', used: String(usage.open_orders), allowed: countText(limits.max_open_orders) },
    { label: 'A minute', used: String(usage.orders_last_minute), allowed: countText(limits.max_orders_per_minute) },
  ];
  return bars.filter(({ used, allowed }) => percentOf(used, allowed) >= NEARLY_FULL);
}

/** The risk of the day, in a row of a table, and what is nearly full besides. */
export function DailyUsage({ bot }: { readonly bot: Bot }): ReactNode {
  const { usage, limits } = bot;
  const bars = [...riskBars('Today', usage.daily_risk, limits.max_daily_risk), ...nearlyFull(bot)];
  return (
    <div className={css.dense} role="list" aria-label={`What ${bot.name} has used of its limits`}>
      {bars.map((bar) => (
        <Bar key={`${bar.label} ${bar.unit ?? ''}`} {...bar} />
      ))}
    </div>
  );
}
