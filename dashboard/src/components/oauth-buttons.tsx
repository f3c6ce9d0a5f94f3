import { type ReactNode, useState } from 'react';
import { useProviders } from '../api/queries.js';
import { oauthElsewhere, PROVIDER_NAMES, startOAuth } from '../session/oauth.js';
import { Button, Card, FailureNotice, ui } from './ui.js';

/** The providers that the operator has switched on; nothing where there are none. */
export function OAuthButtons({ returnTo }: { readonly returnTo: string }): ReactNode {
  const { data: providers = [] } = useProviders();
  const [error, setError] = useState<unknown>(null);
  const elsewhere = oauthElsewhere();
  if (providers.length === 0) return null;
  return (
    <Card title="With another account">
      {elsewhere === null ? (
        <div className={ui.stack}>
          {providers.map((provider) => (
            <Button key={provider.id} onClick={() => void startOAuth(provider, returnTo, 'sign-in').catch(setError)}>
              Continue with {PROVIDER_NAMES[provider.id]}
            </Button>
          ))}
        </div>
      ) : (
        <p>
          {providers.map(({ id }) => PROVIDER_NAMES[id]).join(' and ')} lead back to <a href={elsewhere}>{elsewhere}</a>{' '}
          only: sign in there.
        </p>
      )}
      {error === null ? null : <FailureNotice error={error} />}
    </Card>
  );
}
