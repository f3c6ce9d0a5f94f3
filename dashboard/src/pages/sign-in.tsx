import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { CallForm, TextField } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { OAuthButtons } from '../components/oauth-buttons.js';
import { Card, FailureNotice, Notice } from '../components/ui.js';
import { useSession } from '../session/hooks.js';
import { session } from '../session/session.js';

const route = getRouteApi('/sign-in');

/** Whoever has a session already goes on; also once another tab has signed in. */
function useGoOn(returnTo: string): unknown {
  const { history } = useRouter();
  const { phase } = useSession();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    session.find().catch(setError);
  }, []);
  useEffect(() => {
    if (phase === 'in') history.replace(`/dashboard${returnTo}`);
  }, [phase, history, returnTo]);
  return error;
}

export function SignIn(): ReactNode {
  const { return: returnTo } = route.useSearch();
  const state = useSession();
  const error = useGoOn(returnTo);
  return (
    <Frame isNarrow>
      <PageTitle>Sign in</PageTitle>
      {state.phase === 'out' && state.hasEnded ? (
        <Notice>Your session has ended. Sign in, and you come back to where you were.</Notice>
      ) : null}
      {error === null ? null : <FailureNotice error={error} />}
      <Card title="With your password">
        <CallForm
          action="Sign in"
          onSend={async (field) => {
            const body = { email: field('email'), password: field('password') };
            session.begin(await take(publicApi.POST('/auth/login', { body })));
          }}
        >
          <TextField label="E-mail address" name="email" type="email" autoComplete="username" />
          <TextField label="Password" name="password" type="password" autoComplete="current-password" />
        </CallForm>
        <p>
          <Link to="/forgot-password">Forgot your password?</Link>
        </p>
      </Card>
      <OAuthButtons returnTo={returnTo} />
      <p>
        No account yet? <Link to="/sign-up">Sign up</Link>
      </p>
    </Frame>
  );
}
