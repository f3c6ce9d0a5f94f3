import type { ReactNode } from 'react';
import type { Bot } from '../../api/bots.js';
import { Select } from '../select.js';
import { plainText } from '../foreign-text.js';

interface BotSelectProps {
  /** The id of a bot, which may be gone; empty for all. */
  readonly value: string;
  readonly bots: readonly Bot[];
  readonly onChange: (id: string) => void;
}

/** Chooses one bot. */
export function BotSelect({ value, bots, onChange }: BotSelectProps): ReactNode {
  const isKnown = value === '' || bots.some(({ id }) => id === value);
  return (
    <Select
      label="Bot"
      value={value}
      options={[
        ['', 'All, and none'],
        ...bots.map(({ id, name }) => [id, plainText(name)] as const),
        ...(isKnown ? [] : [[value, value] as const]),
      ]}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    />
  );
}
