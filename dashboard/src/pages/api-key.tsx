import type { ReactNode } from 'react';
import { type ApiKey, useApiKey, useCreateKey, useNewKey } from '../api/queries.js';
import { announce } from '../components/announcer.js';
import { FirstCall } from '../components/first-call.js';
import { CallForm, TextField } from '../components/form.js';
import { PageTitle } from '../components/frame.js';
import { NewKey } from '../components/new-key.js';
import { RevokeKey } from '../components/revoke.js';
import { meaningOf, type Scope, ScopeChoice } from '../components/scopes.js';
import { Time } from '../components/time.js';
import { Card, Loaded, ui } from '../components/ui.js';

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
        <ScopeChoice ids={['read', 'trade', 'admin']} />
      </CallForm>
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
      {isShown ? <NewKey title="Your key, shown this once" value={created.key} /> : null}
      <Loaded query={apiKey} height={420}>
        {(data) => {
          if (data !== null) {
            return (
              <>
                <KeyDetails apiKey={data} />
                <Card title="Your first call">
                  <FirstCall />
                </Card>
              </>
            );
          }
          return isShown ? null : <CreateKey />;
        }}
      </Loaded>
    </>
  );
}
