import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApiKey } from '../../api/queries.js';
import { useKnownKey } from '../../session/hooks.js';
import type { KnownKey } from '../../session/keyring.js';
import { PageTitle } from '../frame.js';
import { PasteKey } from '../paste-key.js';
import { Card, Loaded } from '../ui.js';

function NoKey(): ReactNode {
  return (
    <Card title="Markets need an API key">
      <p>
        Markets are read as your programs read them: with your API key. Your account has none yet; one that may only
        read is enough here.
      </p>
      <p>
        <Link to="/api-key">Create your API key</Link>, then come back: it is used at once.
      </p>
    </Card>
  );
}

interface WithKeyProps {
  /** Heading of the page until there is a key. */
  readonly title: string;
  readonly children: (known: KnownKey) => ReactNode;
}

/** What is read with the account's API key; leads whoever has none, or has not named it in this tab, to it. */
export function WithKey({ title, children }: WithKeyProps): ReactNode {
  const apiKey = useApiKey();
  const known = useKnownKey();
  if (apiKey.data && known !== null) return children(known);
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <Loaded query={apiKey} height={240}>
        {(own) => (own === null ? <NoKey /> : <PasteKey apiKey={own} what="markets" />)}
      </Loaded>
    </>
  );
}
