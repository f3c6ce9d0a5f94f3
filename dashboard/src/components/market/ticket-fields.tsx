import { type ComponentProps, type ReactNode, useId } from 'react';
import type { Market } from '../../api/client.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Select } from '../select.js';
import { ui } from '../ui.js';
import css from './market.module.css';
import { outcomeName } from './outcome.js';
import { isResting, LIVES, type Terms, wrongIn } from './terms.js';

interface TypedProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly error?: string | undefined;
}

function Typed({ label, error, ...input }: TypedProps): ReactNode {
  const id = useId();
  const wrongId = `${id}-wrong`;
  return (
    <div className={ui.field}>
      <label className={ui.label} htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={ui.input}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : wrongId}
        {...input}
      />
      {error === undefined ? null : (
        <p id={wrongId} className={ui.wrong}>
          {error}
        </p>
      )}
    </div>
  );
}

interface FieldsProps {
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
  readonly terms: Terms;
  readonly onChange: (change: Partial<Terms>) => void;
  readonly onChoose: (index: number) => void;
}

function PostOnly({ terms, onChange }: Pick<FieldsProps, 'terms' | 'onChange'>): ReactNode {
  const id = useId();
  return (
    <div className={ui.check}>
      <input
        id={id}
        type="checkbox"
        checked={terms.isPostOnly}
        onChange={({ target }) => {
          onChange({ isPostOnly: target.checked });
        }}
      />
      <label htmlFor={id}>Only rest: refuse it if it would trade at once (post only)</label>
    </div>
  );
}

function Amounts({ market, terms, onChange }: Pick<FieldsProps, 'market' | 'terms' | 'onChange'>): ReactNode {
  const wrong = wrongIn(terms);
  return (
    <>
      <Typed
        label="Size, in contracts"
        inputMode="decimal"
        maxLength={40}
        value={terms.size}
        error={wrong.size}
        onChange={({ target }) => {
          onChange({ size: target.value });
        }}
      />
      <Typed
        label={`Limit price, in ${market.currency}`}
        inputMode="decimal"
        maxLength={40}
        value={terms.price}
        error={wrong.price}
        onChange={({ target }) => {
          onChange({ price: target.value });
        }}
      />
    </>
  );
}

/** What is to be ordered. */
export function TicketFields({ market, outcome, terms, onChange, onChoose }: FieldsProps): ReactNode {
  const wrong = wrongIn(terms);
  return (
    <>
      <div className={`${ui.filters ?? ''} ${css.fields ?? ''}`}>
        <Select
          label="Outcome"
          value={String(outcome.index)}
          options={market.outcomes.map((one) => [String(one.index), outcomeName(one, market)] as const)}
          onChange={({ target }) => {
            onChoose(Number(target.value));
          }}
        />
        <Select
          label="Buy or sell"
          value={terms.side}
          options={[
            ['buy', 'Buy'],
            ['sell', 'Sell'],
          ]}
          onChange={({ target }) => {
            onChange({ side: target.value === 'sell' ? 'sell' : 'buy' });
          }}
        />
        <Amounts market={market} terms={terms} onChange={onChange} />
        <Select
          label="Good"
          value={terms.life}
          options={LIVES}
          onChange={({ target }) => {
            onChange({ life: LIVES.find(([id]) => id === target.value)?.[0] ?? 'gtc' });
          }}
        />
        {terms.life === 'gtd' ? (
          <Typed
            label="Until, in your time zone"
            type="datetime-local"
            value={terms.end}
            error={wrong.end}
            onChange={({ target }) => {
              onChange({ end: target.value });
            }}
          />
        ) : null}
      </div>
      {isResting(terms) ? <PostOnly terms={terms} onChange={onChange} /> : null}
      <p className={ui.hint}>
        <ForeignText form="quoted" text={outcomeName(outcome, market)} /> now: bid <Amount value={outcome.bid} />, ask{' '}
        <Amount value={outcome.ask} />.
        {market.min_order_size === null ? '' : ` The smallest size here is ${market.min_order_size}.`}
      </p>
    </>
  );
}
