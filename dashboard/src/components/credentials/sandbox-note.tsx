import type { ReactNode } from 'react';
import type { Exchange } from '../../installation.js';
import { Notice } from '../ui.js';

/** Where this exchange is a sandbox: real keys are refused there, and have no business here. */
export function SandboxNote({ exchange }: { readonly exchange: Exchange }): ReactNode {
  if (exchange.mode !== 'sandbox') return null;
  return (
    <Notice>
      <strong>This is a sandbox of {exchange.name}: never put a real key in here.</strong>
      <span>
        It knows keys of its own: they stand in the file <code>sandbox.json</code> that <code>npm run sandbox</code> and{' '}
        <code>npm run demo</code> write.
      </span>
    </Notice>
  );
}
