import { Accounts } from './accounts.js';
import { Catalogue } from './catalogue.js';
import { Ledger } from './ledger.js';
import { MarketMaker } from './market-maker.js';
import { Trading } from './trading.js';

/** Everything that the three interfaces of the exchange share. */
export class ExchangeState {
  readonly catalogue: Catalogue;
  readonly ledger = new Ledger();
  readonly accounts = new Accounts(this.ledger);
  readonly trading: Trading;

  constructor(
    readonly clock: () => Date,
    /** Entries on a page of the CLOB's private lists. */
    readonly pageSize: number,
  ) {
    this.catalogue = new Catalogue(clock());
    this.trading = new Trading(this.ledger, clock);
    new MarketMaker(this.accounts, this.ledger, this.trading).quote(this.catalogue);
  }
}
