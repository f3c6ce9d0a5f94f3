import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { CallForm, TextField } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { OAuthButtons } from '../components/oauth-buttons.js';
import { Card, Notice, ui } from '../components/ui.js';
import { installation } from '../installation.js';
import { session } from '../session/session.js';

const EXPECT = {
  open: 'Next, we mail you a link. Open it within 24 hours to verify your address: it signs you in.',
  whitelist:
    'This installation lets in addresses that its operator has approved. If yours is among them, you are signed in at once.',
};

function Pending({ email }: { readonly email: string }): ReactNode {
  return (
    <Notice kind="good">
      <strong>Look into your mail.</strong>
      <span>
        A link to verify {email} is on its way. Open it within 24 hours, on any device. Nothing within a few minutes?
        Look among the spam, and check the address.
        {installation.mode === 'sandbox' ? ' (The demo sends none: it writes mails to files, and prints where.)' : ''}
      </span>
    </Notice>
  );
}

export function SignUp(): ReactNode {
  const [pending, setPending] = useState<string | null>(null);
  const navigate = useNavigate();
  const signUp = async (field: (name: string) => string): Promise<void> => {
    const body = { email: field('email'), password: field('password'), name: field('name') };
    const answer = await take(publicApi.POST('/auth/signup', { body }));
    if ('access_token' in answer) {
      session.begin(answer);
      await navigate({ to: '/' });
    } else setPending(body.email);
  };
  return (
    <Frame isNarrow>
      <PageTitle>Sign up</PageTitle>
      {pending === null ? (
        <>
          <p className={ui.soft}>{EXPECT[installation.sign_up]}</p>
          <Card title="With a password">
            <CallForm action="Sign up" onSend={signUp}>
              <TextField label="Name" name="name" autoComplete="name" />
              <TextField label="E-mail address" name="email" type="email" autoComplete="email" />
              <TextField
                label="Password"
                name="password"
                type="password"
                autoComplete="new-password"
                hint="12 to 128 characters. A few uncommon words are good."
              />
            </CallForm>
          </Card>
          <OAuthButtons returnTo="/" />
        </>
      ) : (
        <Pending email={pending} />
      )}
      <p>
        Have an account?{' '}
        <Link to="/sign-in" search={{ return: '/' }}>
          Sign in
        </Link>
      </p>
    </Frame>
  );
}
