import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.js';
import { ui } from './ui.js';
import css from './scopes.module.css';

export type Scope = Schemas['ApiKeyDto']['scopes'][number];

/** What each scope lets a program do, in words of consequence. */
const SCOPES: readonly { readonly id: Scope; readonly name: string; readonly means: string }[] = [
  {
    id: 'read',
    name: 'Read',
    means: 'Markets, prices, trades. Whoever steals the key sees nothing of your account and moves no money.',
  },
  {
    id: 'trade',
    name: 'Trade',
    means:
      'All of read, and your balance, positions and orders: it can place and cancel them. Whoever steals the key can lose your money.',
  },
  {
    id: 'admin',
    name: 'Everything',
    means:
      'All of trade, and moving money between parts of your account at an exchange. Only for programs that need it.',
  },
];

export function meaningOf(scope: Scope): string {
  return SCOPES.find(({ id }) => id === scope)?.means ?? '';
}

interface ScopeChoiceProps {
  readonly ids: readonly Scope[];
  readonly chosen?: string | undefined;
}

/** What a key may do; the field `scope`. */
export function ScopeChoice({ ids, chosen = 'trade' }: ScopeChoiceProps): ReactNode {
  return (
    <RadioGroup name="scope" defaultValue={chosen} aria-labelledby="scope-label" className={ui.stack}>
      <span id="scope-label" className={ui.label}>
        What may it do?
      </span>
      {SCOPES.filter(({ id }) => ids.includes(id)).map(({ id, name, means }) => (
        <label key={id} className={css.choice}>
          <Radio.Root value={id} className={css.radio} aria-describedby={`scope-${id}`}>
            <Radio.Indicator className={css.dot} />
          </Radio.Root>
          <span className={ui.label}>{name}</span>
          <span id={`scope-${id}`} className={css.choiceText}>
            {means}
          </span>
        </label>
      ))}
    </RadioGroup>
  );
}
