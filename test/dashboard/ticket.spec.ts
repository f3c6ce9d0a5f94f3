import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../dashboard/src/components/languages.js';
import { orderLines } from '../../dashboard/src/components/market/order-lines.js';
import { bodyOf, NO_TERMS, wrongIn } from '../../dashboard/src/components/market/terms.js';
import { hasPython, runProgram, runPython, runShell } from '../support/snippets.js';

/** What ends a text of a shell, of TypeScript or of Python, begins a command, or turns the direction of a line. */
const HOSTILE = `'"\`\\\n\r$(touch pwned)\${process.exit(1)}%s{0} '; exit 1 #\u2028\u202E\0\u{1F600}é`;
const MARKET = { id: `M${HOSTILE}` };
const OUTCOME = { id: `O${HOSTILE}` };
const TERMS = { ...NO_TERMS, price: ' 0.4200 ', size: '012.50' };

describe('the ticket of a market', () => {
  const made = bodyOf({ ...TERMS, side: 'sell', isPostOnly: true }, MARKET, OUTCOME);
  if (made === null) throw new Error('these are terms');
  const call = { url: 'https://proxy.example', exchange: 'one', body: made, idempotencyKey: 'ticket-1' };

  it('copies any id as data, in signs that can be seen', async () => {
    for (const { id } of LANGUAGES) expect(orderLines(id, call)).toMatch(/^[\x20-\x7e\n]*$/);
    const shell = await runShell(`curl() { for word; do printf '%s\\0' "$word"; done; }\n${orderLines('curl', call)}`);
    const words = shell.split('\0').slice(0, -1);
    expect(words).toHaveLength(10);
    expect(words[1]).toBe('https://proxy.example/one/orders');
    expect(words).toContain('Idempotency-Key: ticket-1');
    expect(JSON.parse(words.at(-1) ?? '')).toEqual(call.body);
    const [, ...program] = orderLines('typescript', call).split('\n');
    const client = [
      'class TradingProxy { exchange() { return { orders: { create } } } }',
      "const hex = (body) => Buffer.from(JSON.stringify(body)).toString('hex');",
      'const create = (body, { idempotencyKey }) => ({ id: hex(body), status: idempotencyKey });',
    ];
    const said = (await runProgram([...client, ...program].join('\n'))).split(' ');
    expect(JSON.parse(Buffer.from(said[0] ?? '', 'hex').toString())).toEqual(call.body);
    expect(said[1]).toBe('ticket-1\n');
  });

  it('copies the same for Python', async () => {
    const stub = [
      'import json, sys, types',
      'class Orders:',
      '    def create(self, **body):',
      '        return types.SimpleNamespace(id=json.dumps(body), status="made")',
      'class TradingProxy:',
      '    def __init__(self, url, api_key): self.orders = Orders()',
      '    def __enter__(self): return self',
      '    def __exit__(self, *_): pass',
      '    def exchange(self, name): return self',
      'sys.modules["trading_proxy_client"] = types.SimpleNamespace(TradingProxy=TradingProxy)',
    ];
    if (!(await hasPython())) return;
    const said = await runPython([...stub, orderLines('python', call)].join('\n'));
    expect(JSON.parse(said.replace(/ made\n$/, ''))).toEqual({ ...call.body, idempotency_key: 'ticket-1' });
  });

  it('copies no key, and what is not chosen as not chosen', () => {
    const lines = orderLines('python', { ...call, body: { ...call.body, post_only: false } });
    expect(lines).toContain('post_only=False,');
    for (const { id } of LANGUAGES) expect(orderLines(id, call).split('YOUR_KEY')).toHaveLength(2);
  });

  it('takes terms to the last digit, and none that are no order', () => {
    expect(made).toEqual({
      market_id: MARKET.id,
      outcome: OUTCOME.id,
      side: 'sell',
      price: '0.42',
      size: '12.5',
      time_in_force: 'gtc',
      post_only: true,
    });
    const long = { ...TERMS, price: '0.123456789012345678901', size: '9007199254740993' };
    expect(bodyOf(long, MARKET, OUTCOME)).toMatchObject({ price: '0.123456789012345678901', size: '9007199254740993' });
    for (const wrong of ['0', '1', '1.0', '-0.4', '+0.4', '4e-1', '0,4', '.4', '0.4.2', '٠.٤', 'NaN']) {
      expect(bodyOf({ ...TERMS, price: wrong }, MARKET, OUTCOME)).toBeNull();
      expect(wrongIn({ ...TERMS, price: wrong })).toHaveProperty('price');
    }
    for (const wrong of ['0', '0.00', '-1', '1e3', '1,000', '1 000'])
      expect(bodyOf({ ...TERMS, size: wrong }, MARKET, OUTCOME)).toBeNull();
  });

  it('sends an end and "post only" with orders alone that can have them', () => {
    const end = '2099-01-02T03:04';
    expect(bodyOf({ ...TERMS, end, isPostOnly: true, life: 'ioc' }, MARKET, OUTCOME)).not.toHaveProperty('post_only');
    expect(bodyOf({ ...TERMS, end }, MARKET, OUTCOME)).not.toHaveProperty('expires_at');
    const expires = new Date(end).toISOString();
    expect(bodyOf({ ...TERMS, end, life: 'gtd' }, MARKET, OUTCOME)).toMatchObject({ expires_at: expires });
    for (const past of ['', '2001-01-02T03:04'])
      expect(bodyOf({ ...TERMS, end: past, life: 'gtd' }, MARKET, OUTCOME)).toBeNull();
  });
});
