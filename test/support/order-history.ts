import { ActivityService } from '../../src/activity/activity.service.js';
import { HandSettling } from '../../src/commands/orders/hand-settling.repository.js';
import { HandSettlingService } from '../../src/commands/orders/hand-settling.service.js';
import { LedgerHistory } from '../../src/commands/orders/ledger-history.repository.js';
import { OrderHistoryService } from '../../src/commands/orders/order-history.service.js';
import { CredentialsService } from '../../src/credentials/credentials.service.js';
import { ExchangeRegistry } from '../../src/exchanges/exchange.registry.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OrderNotes } from '../../src/proxy/orders/order-notes.js';
import type { TestApp } from './app.js';

/** What `npm run orders` finds, on the parts of a service that runs. */
export function orderHistory(app: TestApp): OrderHistoryService {
  const records = new LedgerHistory(app.get(Transactions));
  return new OrderHistoryService(records, app.get(OrderNotes), app.get(CredentialsService), app.get(ExchangeRegistry));
}

/** What `npm run orders -- settle` does, on the parts of a service that runs. */
export function handSettling(app: TestApp): HandSettlingService {
  const transactions = app.get(Transactions);
  return new HandSettlingService(new HandSettling(transactions), transactions, app.get(ActivityService));
}
