import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { CallForm, TextField } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, Notice } from '../components/ui.js';
import { mailToken } from '../session/mail-link.js';

export function ForgotPassword(): ReactNode {
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <Frame isNarrow>
      <PageTitle>Forgot your password?</PageTitle>
      {sentTo === null ? (
        <CallForm
          action="Send me a link"
          onSend={async (field) => {
            const email = field('email');
            await take(publicApi.POST('/auth/forgot-password', { body: { email } }));
            setSentTo(email);
          }}
        >
          <p>We mail you a link to set a new one. It works once, for 30 minutes.</p>
          <TextField label="E-mail address" name="email" type="email" autoComplete="email" />
        </CallForm>
      ) : (
        <Notice kind="good">
          <strong>Look into your mail.</strong>
          <span>
            If {sentTo} is known here, a link is on its way. Nothing within a few minutes? Look among the spam, and
            check the address.
          </span>
        </Notice>
      )}
      <p>
        <Link to="/sign-in" search={{ return: '/' }}>
          Back to sign in
        </Link>
      </p>
    </Frame>
  );
}

/** Behind the link in the mail. */
export function ResetPassword(): ReactNode {
  const [isDone, setDone] = useState(false);
  const reset = async (field: (name: string) => string): Promise<void> => {
    const body = { token: mailToken, new_password: field('new-password') };
    await take(publicApi.POST('/auth/reset-password', { body }));
    setDone(true);
  };
  return (
    <Frame isNarrow>
      <PageTitle>Set a new password</PageTitle>
      {mailToken === '' ? <Notice kind="bad">This link is not whole. Open it from the mail again.</Notice> : null}
      {mailToken === '' || isDone ? null : (
        <CallForm action="Set the password" onSend={reset}>
          <TextField
            label="New password"
            name="new-password"
            type="password"
            autoComplete="new-password"
            hint="12 to 128 characters. A few uncommon words are good."
          />
        </CallForm>
      )}
      {isDone ? (
        <>
          <Notice kind="good">Your password is set, and every session has ended. Sign in with it.</Notice>
          <Link to="/sign-in" search={{ return: '/' }} className={buttonClass('primary')}>
            Sign in
          </Link>
        </>
      ) : (
        <p>
          <Link to="/forgot-password">Ask for a new link</Link>
        </p>
      )}
    </Frame>
  );
}
