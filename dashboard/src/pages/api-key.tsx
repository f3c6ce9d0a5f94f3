import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.js';
import { type ApiKey, useApiKey, useCreateKey, useNewKey } from '../api/queries.js';
import { announce } from '../components/announcer.js';
import { CallForm, TextField } from '../components/form.js';
import { PageTitle } from '../components/frame.js';
import { RevokeKey } from '../components/revoke.js';
import { Time } from '../components/time.js';
import { Button, Card, CopyButton, Loaded, Notice, ui } from '../components/ui.js';

type Scope = Schemas['ApiKeyDto']['scopes'][number];

/** What each scope lets a program do, in words of consequence. */
const SCOPES: readonly { readonly id: Scope; readonly name: string; readonly means: string }[] = [
  {
    id: 'read',
    name: 'Read',
    means: 'Markets, prices, trades. Whoever steals the key sees nothing of your account and moves no money.',
  },
  {
    id: 'trade',
    name: 'Trade',
    means:
      'All of read, and your balance, positions and orders: it can place and cancel them. Whoever steals the key can lose your money.',
  },
  {
    id: 'admin',
    name: 'Everything',
    means:
      'All of trade, and moving money between parts of your account at an exchange. Only for programs that need it.',
  },
];

function meaningOf(scope: Scope): string {
  return SCOPES.find(({ id }) => id === scope)?.means ?? '';
}

function ScopeChoice(): ReactNode {
  return (
    <RadioGroup name="scope" defaultValue="trade" aria-labelledby="scope-label" className={ui.stack}>
      <span id="scope-label" className={ui.label}>
        What may it do?
      </span>
      {SCOPES.map(({ id, name, means }) => (
        <label key={id} className={ui.choice}>
          <Radio.Root value={id} className={ui.radio} aria-describedby={`scope-${id}`}>
            <Radio.Indicator className={ui.dot} />
          </Radio.Root>
          <span className={ui.label}>{name}</span>
          <span id={`scope-${id}`} className={ui.choiceText}>
            {means}
          </span>
        </label>
      ))}
    </RadioGroup>
  );
}

function CreateKey(): ReactNode {
  const create = useCreateKey();
  return (
    <Card title="Create your API key">
      <p className={ui.soft}>
        A program sends it with every call. An account has one key; it works until you revoke it.
      </p>
      <CallForm
        action="Create the key"
        onSend={async (field) => {
          await create.mutateAsync({ name: field('name'), scopes: [field('scope') as Scope] });
          announce('Your key is made. Keep it now: it is shown this once.');
        }}
      >
        <TextField
          label="Name"
          name="name"
          autoComplete="off"
          defaultValue="my bot"
          hint="For you, to know which program uses it."
        />
        <ScopeChoice />
      </CallForm>
    </Card>
  );
}

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

function NewKey({ value }: { readonly value: string }): ReactNode {
  return (
    <Card title="Your key, shown this once" aside={<CopyButton text={value} what="the key" />}>
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
    </Card>
  );
}

function KeyDetails({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  return (
    <Card title={apiKey.name} aside={<RevokeKey apiKey={apiKey} />}>
      <dl className={ui.facts}>
        <dt>Begins with</dt>
        <dd>
          <code>{apiKey.prefix}…</code>
        </dd>
        <dt>May</dt>
        <dd>
          {apiKey.scopes.map((scope) => (
            <p key={scope}>
              <strong>{scope}</strong>: {meaningOf(scope)}
            </p>
          ))}
        </dd>
        <dt>Created</dt>
        <dd>
          <Time iso={apiKey.created_at} />
        </dd>
        <dt>Last used</dt>
        <dd>{apiKey.last_used_at === null ? 'Never' : <Time iso={apiKey.last_used_at} />}</dd>
      </dl>
      <p className={ui.hint}>
        Lost it, or another scope? Revoke it, which takes up to a second, and create a new one. Last used is exact to a
        minute.
      </p>
    </Card>
  );
}

export function ApiKeyPage(): ReactNode {
  const apiKey = useApiKey();
  const created = useNewKey();
  // It is shown this once, also where the list of keys cannot be read just now.
  const isShown = created !== null && (created.prefix === apiKey.data?.prefix || apiKey.error !== null);
  return (
    <>
      <PageTitle>API key</PageTitle>
      {isShown ? <NewKey value={created.key} /> : null}
      <Loaded query={apiKey} height={420}>
        {(data) => {
          if (data !== null) return <KeyDetails apiKey={data} />;
          return isShown ? null : <CreateKey />;
        }}
      </Loaded>
    </>
  );
}
