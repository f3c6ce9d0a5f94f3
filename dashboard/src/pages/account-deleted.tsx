import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Frame, PageTitle } from '../components/frame.js';

/** What whoever has deleted their account sees. */
export function AccountDeleted(): ReactNode {
  return (
    <Frame isNarrow>
      <PageTitle>Your account is deleted</PageTitle>
      <p>
        Key, credentials and sign-ins are gone. Open orders and positions are still at the exchanges: see to them there.
      </p>
      <p>
        <Link to="/sign-up">Sign up anew</Link>
      </p>
    </Frame>
  );
}
