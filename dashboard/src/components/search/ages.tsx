import type { ReactNode } from 'react';
import type { Ages } from '../../api/found.js';
import { installation } from '../../installation.js';
import { exchangeName } from '../names.js';
import { Time } from '../time.js';
import { ui } from '../ui.js';
import css from './search.module.css';

/** The service reads the open markets of an exchange every so often; after three of these something is wrong. */
const OLD_MS = 3_000 * installation.catalogue_refresh_s;

function Age({ exchange, at }: { readonly exchange: string; readonly at: string | null }): ReactNode {
  const name = exchangeName(exchange);
  if (at === null) {
    return (
      <>
        <strong>{name} was not read yet:</strong> its markets are missing here.
      </>
    );
  }
  if (Date.now() - Date.parse(at) < OLD_MS) {
    return (
      <>
        {name} as of <Time iso={at} />
      </>
    );
  }
  return (
    <>
      <strong>{name} could not be read since</strong> <Time iso={at} />: what opened or closed there meanwhile is not
      known.
    </>
  );
}

/** How old what is searched is, of each exchange. */
export function AgesOf({ ages }: { readonly ages: Ages }): ReactNode {
  return (
    <ul className={`${ui.hint} ${css.ages ?? ''}`} aria-label="How old this is">
      {Object.entries(ages).map(([exchange, at]) => (
        <li key={exchange}>
          <Age exchange={exchange} at={at} />
        </li>
      ))}
    </ul>
  );
}

/** What stands where the service keeps no catalogue. */
export const NO_CATALOGUE =
  'This service keeps no list of the open markets (its operator has set CATALOGUE_REFRESH to 0), so it finds no words. A market or an order is found by its whole id still: type it in the search.';
