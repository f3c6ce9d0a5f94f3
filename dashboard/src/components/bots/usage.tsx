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

/** What is used of a limit, in figures; the bar beside them is for the eye alone. */
function Bar({ label, used, allowed, unit }: BarProps): ReactNode {
  const percent = allowed === null ? 0 : Math.min(100, (Number(used) / Number(allowed)) * 100);
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
function Risk({ label, used, allowed }: RiskProps): ReactNode {
  const currencies = Object.keys(used).sort();
  if (currencies.length === 0) return <Bar label={label} used="0" allowed={allowed} />;
  return currencies.map((currency) => (
    <Bar key={currency} label={label} used={used[currency] ?? '0'} allowed={allowed} unit={currency} />
  ));
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
