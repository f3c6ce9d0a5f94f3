import type { ReactNode } from 'react';
import { Button, Card, CopyButton, Notice, ui } from './ui.js';

/** As a line of a `.env` file. */
function envLine(key: string): string {
  return `TRADING_PROXY_KEY=${key}\n`;
}

function download(key: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([envLine(key)], { type: 'text/plain' }));
  link.download = 'trading-proxy.env';
  link.click();
  URL.revokeObjectURL(link.href);
}

interface NewKeyProps {
  readonly title: string;
  readonly value: string;
  /** What else is to be known of it, or done with it. */
  readonly children?: ReactNode;
}

/** A key that the service tells once: to be copied, or saved as a file. */
export function NewKey({ title, value, children }: NewKeyProps): ReactNode {
  return (
    <Card title={title} aside={<CopyButton text={value} what="the key" />}>
      <pre className={ui.code} data-testid="key" tabIndex={0} aria-label="The key">
        {value}
      </pre>
      <Notice>
        Keep it where your program reads it, and nowhere else. It is gone from here when you sign out, reload or close
        this tab, and nobody can show it again.
      </Notice>
      <div className={ui.row}>
        <Button
          onClick={() => {
            download(value);
          }}
        >
          Download as .env
        </Button>
        <CopyButton text={envLine(value)} what="the line for a .env file" />
        <code>TRADING_PROXY_KEY=…</code>
      </div>
      {children}
    </Card>
  );
}
