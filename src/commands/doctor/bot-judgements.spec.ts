import { describe, expect, it } from '@jest/globals';
import { differencesOf, judgeOrders } from './bot-judgements.js';
import type { LedgerOrder } from './reserved-orders.repository.js';

const ORDER: LedgerOrder = {
  id: 'plc_1',
  botId: 'bot_1',
  orderId: 'o-1',
  clientOrderId: 'c-1',
  state: 'made',
  open: '10',
};
const SHOWN = { id: 'o-1', client_order_id: 'c-1', remaining_size: '10' };

describe('what is reserved for orders of bots beside what the exchange shows (contract.md 8.1)', () => {
  it.each([
    ['the same', [SHOWN], ORDER, []],
    ['less is open: more may have filled', [{ ...SHOWN, remaining_size: '4' }], ORDER, []],
    ['more is open than reserved', [{ ...SHOWN, remaining_size: '10.5' }], ORDER, ['lives']],
    ['it lives, and nothing is reserved', [SHOWN], { ...ORDER, state: 'closed', open: '0' }, ['lives']],
    [
      'it lives under a name whose answer was lost',
      [SHOWN],
      { ...ORDER, state: 'refused', orderId: null, open: '0' },
      ['lives'],
    ],
    ['it is not listed', [], ORDER, ['gone']],
    ['it is on its way', [], { ...ORDER, state: 'sending', orderId: null }, []],
    ['it is of unknown fate', [], { ...ORDER, state: 'unknown', orderId: null }, []],
    ['it is over on both sides', [], { ...ORDER, state: 'closed', open: '0' }, []],
  ])('%s', (_, listed, known, kinds) => {
    expect(differencesOf(listed, [known]).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('fails where orders live without limits, and names some of them', () => {
    const known = Array.from({ length: 7 }, (_, index) => ({
      ...ORDER,
      id: `plc_${index}`,
      orderId: `o-${index}`,
      open: '0',
    }));
    const listed = known.map(({ orderId }) => ({ ...SHOWN, id: orderId, client_order_id: null }));
    const { status, message } = judgeOrders(known, differencesOf(listed, known));
    expect(status).toBe('fail');
    expect(message).toMatch(/o-0 of bot_1 \(10 open there, 0 reserved\).*o-4 of bot_1.*, and more\.$/);
    expect(message).not.toContain('o-5');
  });

  it('warns of what is reserved for orders that are gone, or not known', () => {
    expect(judgeOrders([ORDER], differencesOf([], [ORDER])).status).toBe('warn');
    expect(judgeOrders([{ ...ORDER, state: 'unknown' }], []).status).toBe('warn');
    expect(judgeOrders([ORDER], []).status).toBe('ok');
  });
});
