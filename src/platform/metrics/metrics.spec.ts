import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { Tally } from './tally.js';

describe('Metrics (R-24)', () => {
  let metrics: Metrics;

  beforeEach(() => {
    metrics = new Metrics();
  });

  /** The lines of figures of one metric. */
  async function figuresOf(name: string): Promise<string[]> {
    return (await metrics.text()).split('\n').filter((line) => line.startsWith(`trading_proxy_${name}`));
  }

  it('shows what a gauge reads at each scrape, and nothing of before', async () => {
    let samples = [{ labels: { state: 'open' }, value: 1 }];
    metrics.gauge({ name: 'doors', help: 'Doors.', labelNames: ['state'] }, () => samples);
    expect(await figuresOf('doors')).toEqual(['trading_proxy_doors{state="open"} 1']);
    samples = [{ labels: { state: 'shut' }, value: 2 }];
    expect(await figuresOf('doors')).toEqual(['trading_proxy_doors{state="shut"} 2']);
  });

  it.each([['throws', () => Promise.reject(new Error('away'))] as const, ['is empty', () => []] as const])(
    'shows no figure, and no 0, where a reading %s; the others stay',
    async (_, read) => {
      metrics.gauge({ name: 'waiting', help: 'Waiting.' }, read);
      metrics.gauge({ name: 'other', help: 'Other.' }, () => [{ value: 3 }]);
      expect(await figuresOf('waiting')).toEqual([]);
      expect(await figuresOf('other')).toEqual(['trading_proxy_other 3']);
    },
  );

  it('shows a tally as a counter, with the zeros that it expects', async () => {
    const tally = new Tally(['exchange', 'outcome']);
    tally.expect('kalshi', 'unknown');
    tally.count('kalshi', 'accepted');
    tally.count('kalshi', 'accepted');
    metrics.tally({ name: 'orders_total', help: 'Orders.' }, tally);
    expect(await figuresOf('orders_total')).toEqual([
      'trading_proxy_orders_total{exchange="kalshi",outcome="unknown"} 0',
      'trading_proxy_orders_total{exchange="kalshi",outcome="accepted"} 2',
    ]);
    expect(await figuresOf('orders_total')).toHaveLength(2);
  });

  it('two scrapes at once read once', async () => {
    let readings = 0;
    metrics.gauge({ name: 'slow', help: 'Slow.' }, () => Promise.resolve([{ value: (readings += 1) }]));
    const [one, other] = await Promise.all([metrics.text(), metrics.text()]);
    expect(one).toBe(other);
    expect(readings).toBe(1);
  });

  it('applications in one process share nothing', async () => {
    new Metrics().gauge({ name: 'apart', help: 'Apart.' }, () => [{ value: 1 }]);
    metrics.gauge({ name: 'apart', help: 'Apart.' }, () => [{ value: 2 }]);
    expect(await figuresOf('apart')).toEqual(['trading_proxy_apart 2']);
  });

  it('shows the process itself, its event loop among it', async () => {
    expect(await metrics.text()).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  });
});
