import type { MigrationInterface } from 'typeorm';
import { Accounts1795200000000 } from './1795200000000-accounts.js';
import { ApiKeys1795200001000 } from './1795200001000-api-keys.js';
import { ExchangeCredentials1795200002000 } from './1795200002000-exchange-credentials.js';
import { Idempotency1795200003000 } from './1795200003000-idempotency.js';
import { OrderReferences1795200004000 } from './1795200004000-order-references.js';
import { OrderSendings1795200005000 } from './1795200005000-order-sendings.js';
import { NoNegativeLimits1795200010000 } from './1795200010000-no-negative-limits.js';
import { MailTopics1795200011000 } from './1795200011000-mail-topics.js';
import { ApiKeyCaches1795200020000 } from './1795200020000-api-key-caches.js';
import { EncryptionKeys1795200021000 } from './1795200021000-encryption-keys.js';
import { OrderMarkets1795200030000 } from './1795200030000-order-markets.js';
import { CredentialFacts1795200031000 } from './1795200031000-credential-facts.js';
import { Transfers1795200032000 } from './1795200032000-transfers.js';
import { SessionKeys1795200040000 } from './1795200040000-session-keys.js';
import { OrderRequests1795200050000 } from './1795200050000-order-requests.js';
import { Figures1795200051000 } from './1795200051000-figures.js';
import { OrderEvents1795200053000 } from './1795200053000-order-events.js';
import { Sendings1795200060000 } from './1795200060000-sendings.js';
import { ConfirmedSessions1795200070000 } from './1795200070000-confirmed-sessions.js';
import { UnprovedSignUps1795200072000 } from './1795200072000-unproved-signups.js';
import { MailOrder1795200073000 } from './1795200073000-mail-order.js';
import { RotationAges1795200073500 } from './1795200073500-rotation-ages.js';
import { SessionBounds1795200074000 } from './1795200074000-session-bounds.js';
import { EventRetention1795200074100 } from './1795200074100-event-retention.js';
import { SessionCancels1795200090000 } from './1795200090000-session-cancels.js';
import { Placements1795200100000 } from './1795200100000-placements.js';
import { ActivityNotes1795200101000 } from './1795200101000-activity-notes.js';
import { OrderNotes1795200102000 } from './1795200102000-order-notes.js';
import { Bots1795200110000 } from './1795200110000-bots.js';
import { BotSums1795200111000 } from './1795200111000-bot-sums.js';
import { BotLimits1795200112000 } from './1795200112000-bot-limits.js';
import { StreamLeases1795300000000 } from './1795300000000-stream-leases.js';
import { BotCosts1795300100000 } from './1795300100000-bot-costs.js';
import { Amends1795300200000 } from './1795300200000-amends.js';
import { OrderPreviews1795300250000 } from './1795300250000-order-previews.js';
import { Equity1795300300000 } from './1795300300000-equity.js';
import { KeptPreviews1795300350000 } from './1795300350000-kept-previews.js';
import { Catalogue1795300400000 } from './1795300400000-catalogue.js';
import { CatalogueWords1795300440000 } from './1795300440000-catalogue-words.js';
import { SameOrders1795300450000 } from './1795300450000-same-orders.js';
import { EquityAccounts1795300470000 } from './1795300470000-equity-accounts.js';
import { OrderEnds1795300480000 } from './1795300480000-order-ends.js';
import { UnknownOrders1795300490000 } from './1795300490000-unknown-orders.js';
import { SettledOrders1795300500000 } from './1795300500000-settled-orders.js';
import { TradedWords1795300500001 } from './1795300500001-traded-words.js';
import { LapsedClaims1795300510000 } from './1795300510000-lapsed-claims.js';

/** All schema changes, oldest first; class names end in a millisecond timestamp (contract.md 6, R-9). */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  Accounts1795200000000,
  ApiKeys1795200001000,
  ExchangeCredentials1795200002000,
  Idempotency1795200003000,
  OrderReferences1795200004000,
  OrderSendings1795200005000,
  NoNegativeLimits1795200010000,
  MailTopics1795200011000,
  ApiKeyCaches1795200020000,
  EncryptionKeys1795200021000,
  OrderMarkets1795200030000,
  CredentialFacts1795200031000,
  Transfers1795200032000,
  SessionKeys1795200040000,
  OrderRequests1795200050000,
  Figures1795200051000,
  OrderEvents1795200053000,
  Sendings1795200060000,
  ConfirmedSessions1795200070000,
  UnprovedSignUps1795200072000,
  MailOrder1795200073000,
  RotationAges1795200073500,
  SessionBounds1795200074000,
  EventRetention1795200074100,
  SessionCancels1795200090000,
  Placements1795200100000,
  ActivityNotes1795200101000,
  OrderNotes1795200102000,
  Bots1795200110000,
  BotSums1795200111000,
  BotLimits1795200112000,
  StreamLeases1795300000000,
  BotCosts1795300100000,
  Amends1795300200000,
  OrderPreviews1795300250000,
  Equity1795300300000,
  KeptPreviews1795300350000,
  Catalogue1795300400000,
  CatalogueWords1795300440000,
  SameOrders1795300450000,
  EquityAccounts1795300470000,
  OrderEnds1795300480000,
  UnknownOrders1795300490000,
  SettledOrders1795300500000,
  TradedWords1795300500001,
  LapsedClaims1795300510000,
];
