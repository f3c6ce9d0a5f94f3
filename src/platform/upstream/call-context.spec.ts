import { describe, expect, it } from '@jest/globals';
import { type CallContext, currentCallContext, outsideCallContext, withCallContext } from './call-context.js';

describe('what runs outside of a call context', () => {
  const request: CallContext = { caller: 'usr_1', fresh: false };

  it('stays outside, also behind a context of its own', async () => {
    const seen: (CallContext | undefined)[] = [];
    const work = async (): Promise<void> => {
      await withCallContext({ caller: 'usr_2', fresh: true }, () => Promise.resolve());
      seen.push(currentCallContext());
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(currentCallContext());
    };
    await withCallContext(request, async () => {
      const outside = outsideCallContext(work);
      seen.push(currentCallContext());
      await outside;
      seen.push(currentCallContext());
    });
    expect(seen).toEqual([request, undefined, undefined, request]);
  });
});
