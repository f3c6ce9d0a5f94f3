import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors/app-error.js';
import type { SettingTable } from '../platform/config/setting.js';
import type { Exchange, ExchangeClass } from './exchange.js';
import { KalshiExchange } from './kalshi/kalshi.exchange.js';
import { PolymarketExchange } from './polymarket/polymarket.exchange.js';

/** Every exchange behind the service: the one line to add (CONTRIBUTING.md 4). */
export const EXCHANGES = [KalshiExchange, PolymarketExchange] as const satisfies readonly ExchangeClass[];

export type ExchangeId = (typeof EXCHANGES)[number]['id'];

type NamesOf<Table> = Table extends unknown ? keyof Table : never;

/** The names of all their settings. */
export type ExchangeSetting = NamesOf<(typeof EXCHANGES)[number]['settings']>;

export const EXCHANGE_IDS: readonly ExchangeId[] = EXCHANGES.map(({ id }) => id);

/** The settings of all exchanges, for `Settings.read`. */
export const EXCHANGE_SETTINGS: SettingTable = Object.assign(
  {},
  ...EXCHANGES.map(({ settings }) => settings),
) as SettingTable;

/** Token of the constructed exchanges, in the order of the list. */
export const CONSTRUCTED_EXCHANGES = Symbol('constructed exchanges');

/** Finds exchanges by the id in the path. */
@Injectable()
export class ExchangeRegistry {
  constructor(@Inject(CONSTRUCTED_EXCHANGES) readonly all: readonly Exchange[]) {}

  /** Throws `not_found` for an unknown id (contract.md 3). */
  get(id: string): Exchange {
    const found = this.all.find((exchange) => exchange.id === id);
    if (found !== undefined) return found;
    const known = this.all.map((exchange) => exchange.id).join(', ');
    throw new AppError('not_found', `There is no such exchange. Known ones: ${known}.`);
  }
}
