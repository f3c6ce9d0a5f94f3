import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import { Amount, placesOf } from '../amount.js';

/** Bid and ask of one outcome, in the places that they have. */
export function Quote({ outcome: { bid, ask } }: { readonly outcome: Market['outcomes'][number] }): ReactNode {
  const places = placesOf([bid, ask]);
  return (
    <>
      <Amount value={bid} places={places} /> / <Amount value={ask} places={places} />
    </>
  );
}

/** What its volumes are counted in. */
export function volumeUnit({ volume_unit: unit, currency }: Market): string {
  return unit === 'currency' ? currency : 'contracts';
}
