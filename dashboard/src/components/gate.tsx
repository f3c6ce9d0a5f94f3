import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useSession } from '../session/hooks.js';
import { Shell } from './shell.js';

/** Shows the pages while the session lasts; once it ends, in whatever tab, the way leads to the sign-in. */
export function Gate(): ReactNode {
  const state = useSession();
  const { phase } = state;
  const router = useRouter();
  useEffect(() => {
    // The address as it is at that moment: it changes on the way.
    const { href } = router.state.location;
    if (phase !== 'in') void router.navigate({ to: '/sign-in', search: { return: href }, replace: true });
  }, [phase, router]);
  // Another person begins anew: nothing that the one before has opened or typed is sent for them.
  return state.phase === 'in' ? <Shell key={state.user.id} /> : null;
}
