/** The body of an order, which previews and orders share; the one id of an outcome names it. */
export interface OrderBody {
  readonly market_id: string;
  readonly outcome: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly time_in_force: 'gtc' | 'gtd' | 'ioc' | 'fok';
  readonly post_only?: boolean;
  readonly expires_at?: string;
}
