import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode, SubmitEvent } from 'react';
import { installation } from '../../installation.js';
import { Select, TextField } from '../form.js';
import { Button, buttonClass, Card, ui } from '../ui.js';
import css from './markets.module.css';
import { LONGEST } from '../../address.js';
import { type MarketSearch, searchOf } from './search.js';
import { HINTS } from './search-rules.js';

const STATUSES = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['settled', 'Settled'],
] as const;

interface WordsProps {
  readonly label: string;
  readonly name: string;
  readonly hint: string | undefined;
  readonly value: string | undefined;
}

function Words({ label, name, hint, value = '' }: WordsProps): ReactNode {
  return (
    <TextField
      label={label}
      name={name}
      hint={hint}
      defaultValue={value}
      required={false}
      maxLength={LONGEST}
      autoComplete="off"
    />
  );
}

/** What to look for; it goes into the address, so that a list can be kept and gone back to. */
export function FilterForm({ search }: { readonly search: MarketSearch }): ReactNode {
  const navigate = useNavigate();
  const find = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void navigate({ to: '/markets', search: searchOf(Object.fromEntries(new FormData(event.currentTarget))) });
  };
  return (
    <Card title="Find markets">
      <form className={ui.stack} onSubmit={find}>
        <div className={css.filters}>
          <Select
            label="Exchange"
            name="exchange"
            defaultValue={search.exchange ?? ''}
            options={[['', 'All'], ...installation.exchanges.map(({ id, name }) => [id, name] as const)]}
          />
          <Select label="Status" name="status" defaultValue={search.status ?? 'open'} options={STATUSES} />
          <Words label="Words in the title" name="words" hint={HINTS.words} value={search.words} />
          <Words label="Series" name="series" hint={HINTS.series} value={search.series} />
          <Words label="Event" name="event" hint={HINTS.event} value={search.event} />
        </div>
        <div className={ui.row}>
          <Button kind="primary" type="submit">
            Find
          </Button>
          <Link to="/markets" search={{}} className={buttonClass()}>
            Clear
          </Link>
        </div>
      </form>
    </Card>
  );
}
