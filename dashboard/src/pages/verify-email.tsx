import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { CallForm } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, Notice, ui } from '../components/ui.js';
import { mailToken } from '../session/mail-link.js';
import { accountApi, session } from '../session/session.js';

/** Whether nobody's password counts, since several had signed up with the address (S-55). */
async function hasNoPassword(): Promise<boolean> {
  const { providers } = await take(accountApi.GET('/account/profile'));
  return providers.length === 0;
}

function PasswordOffer({ email }: { readonly email: string }): ReactNode {
  const [isSent, setSent] = useState(false);
  if (isSent) {
    return (
      <Notice kind="good">A link to set your password is on its way to {email}. Open it within 30 minutes.</Notice>
    );
  }
  return (
    <section className={ui.stack} aria-label="Set a password">
      <p>
        More than one sign-up was waiting for your address, and nobody can tell which was yours. So none of their
        passwords counts. Set your own, to be able to sign in again.
      </p>
      <CallForm
        action="Send me a link to set my password"
        onSend={async () => {
          await take(publicApi.POST('/auth/forgot-password', { body: { email } }));
          setSent(true);
        }}
      />
    </section>
  );
}

interface VerifiedProps {
  readonly email: string;
  readonly needsPassword: boolean;
}

function Verified({ email, needsPassword }: VerifiedProps): ReactNode {
  return (
    <>
      <Notice kind="good">Your address is verified. You are signed in as {email}.</Notice>
      {needsPassword ? <PasswordOffer email={email} /> : null}
      <Link to="/" className={buttonClass(needsPassword ? 'plain' : 'primary')}>
        Go to the overview
      </Link>
    </>
  );
}

/** Behind the link in the mail. Posts nothing until its button is pressed: programs open links too (S-9). */
export function VerifyEmail(): ReactNode {
  const [verified, setVerified] = useState<VerifiedProps | null>(null);
  const verify = async (): Promise<void> => {
    const signedIn = await take(publicApi.POST('/auth/verify-email', { body: { token: mailToken } }));
    session.begin(signedIn);
    const isWithout = await hasNoPassword().catch(() => false);
    setVerified({ email: signedIn.user.email, needsPassword: isWithout });
  };
  return (
    <Frame isNarrow>
      <PageTitle>Verify your e-mail address</PageTitle>
      {mailToken === '' ? <Notice kind="bad">This link is not whole. Open it from the mail again.</Notice> : null}
      {mailToken !== '' && verified === null ? <CallForm action="Verify the address" onSend={verify} /> : null}
      {verified === null ? (
        <p>
          For a new link, <Link to="/sign-up">sign up again</Link> with the same address.
        </p>
      ) : (
        <Verified {...verified} />
      )}
    </Frame>
  );
}
