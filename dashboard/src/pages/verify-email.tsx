import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { publicApi, take } from '../api/client.js';
import { Failure } from '../api/failure.js';
import { CallForm } from '../components/form.js';
import { Frame, PageTitle } from '../components/frame.js';
import { buttonClass, Notice, ui } from '../components/ui.js';
import { installation } from '../installation.js';
import { mailToken } from '../session/mail-link.js';
import { api, session } from '../session/session.js';

/** Whether nobody's password counts: several had signed up with the address, or it was taken over (S-12, S-55). */
async function hasNoPassword(): Promise<boolean> {
  const { providers } = await take(api.GET('/account/profile'));
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
        Somebody else may have signed up with your address too, and nobody can tell which sign-up was yours. So none of
        their passwords counts, and nothing that was stored before is left. Set your own, to be able to sign in again.
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

function NewLink(): ReactNode {
  return installation.sign_up === 'open' ? (
    <p>
      For a new link, <Link to="/sign-up">sign up again</Link> with the same address.
    </p>
  ) : (
    <p>
      For a new link, <Link to="/">sign in</Link> and ask for it there.
    </p>
  );
}

interface ReplaceProps {
  /** Who is signed in here. */
  readonly email: string;
  readonly onSend: () => Promise<void>;
}

/** Asks before somebody who is signed in becomes somebody else: whoever sent the link may want just that (S-20). */
function Replace({ email, onSend }: ReplaceProps): ReactNode {
  return (
    <>
      <Notice kind="bad">You are signed in as {email}, and this link is for another account.</Notice>
      <p>
        Go on only if you signed up for that account yourself. If somebody sent you this link, it is theirs: whatever
        you store there trades for them.
      </p>
      <CallForm action="Verify it, and sign in to that account instead" onSend={onSend} />
      <Link to="/" className={buttonClass('plain')}>
        Stay signed in as {email}
      </Link>
    </>
  );
}

function isAnotherAccount(error: unknown): boolean {
  return error instanceof Failure && error.details.reason === 'another_account';
}

/** The address of whoever is signed in in this browser. */
async function personHere(): Promise<string> {
  const state = await session.find();
  return state.phase === 'in' ? state.user.email : 'somebody else';
}

/** Behind the link in the mail. Posts nothing until its button is pressed: programs open links too (S-9). */
export function VerifyEmail(): ReactNode {
  const [verified, setVerified] = useState<VerifiedProps | null>(null);
  const [replaced, setReplaced] = useState<string | null>(null);
  const verify = async (mayReplace: boolean): Promise<void> => {
    const body = { token: mailToken, replace_session: mayReplace };
    const signedIn = await take(publicApi.POST('/auth/verify-email', { body }));
    session.begin(signedIn);
    const isWithout = await hasNoPassword().catch(() => false);
    setVerified({ email: signedIn.user.email, needsPassword: isWithout });
  };
  const verifyOrAsk = async (): Promise<void> => {
    try {
      await verify(false);
    } catch (error) {
      if (!isAnotherAccount(error)) throw error;
      setReplaced(await personHere());
    }
  };
  return (
    <Frame isNarrow>
      <PageTitle>Verify your e-mail address</PageTitle>
      {mailToken === '' ? <Notice kind="bad">This link is not whole. Open it from the mail again.</Notice> : null}
      {mailToken !== '' && verified === null && replaced === null ? (
        <CallForm action="Verify the address" onSend={verifyOrAsk} />
      ) : null}
      {verified === null && replaced !== null ? <Replace email={replaced} onSend={() => verify(true)} /> : null}
      {verified === null ? <NewLink /> : <Verified {...verified} />}
    </Frame>
  );
}
