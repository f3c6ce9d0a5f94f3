import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { CallForm, TextField } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, Notice, ui } from '../components/ui.js';
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
  const [done, setDone] = useState<{ readonly isKeyRevoked: boolean } | null>(null);
  const reset = async (field: (name: string) => string): Promise<void> => {
    const isKeyRevoked = field('revoke_api_keys') !== '';
    const body = { token: mailToken, new_password: field('new_password'), revoke_api_keys: isKeyRevoked };
    await take(publicApi.POST('/auth/reset-password', { body }));
    setDone({ isKeyRevoked });
  };
  return (
    <Frame isNarrow>
      <PageTitle>Set a new password</PageTitle>
      {mailToken === '' ? <Notice kind="bad">This link is not whole. Open it from the mail again.</Notice> : null}
      {mailToken === '' || done !== null ? null : (
        <CallForm action="Set the password" onSend={reset}>
          <TextField
            label="New password"
            name="new_password"
            type="password"
            autoComplete="new-password"
            hint="12 to 128 characters. A few uncommon words are good."
          />
          <label className={ui.check}>
            <input type="checkbox" name="revoke_api_keys" defaultChecked />
            <span>
              Revoke the API key too
              <span className={ui.hint}>
                {' '}
                Whoever knew your password may have made it. Your own programs stop until you give them a new one:
                untick this only where you are sure that nobody else was in your account.
              </span>
            </span>
          </label>
        </CallForm>
      )}
      {done !== null ? (
        <>
          <Notice kind="good">
            Your password is set, and every session has ended.{' '}
            {done.isKeyRevoked ? 'An API key that you had is revoked.' : 'An API key that you had goes on working.'}{' '}
            Sign in with your new password.
          </Notice>
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
