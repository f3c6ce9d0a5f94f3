import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSession } from '../session/hooks.js';
import { announce } from './announcer.js';
import { Shell } from './shell.js';

/**
 * Shows the pages while the session lasts; once it ends, in whatever tab, the way leads to the sign-in. Where it becomes another
 * person's, the way leads to the overview, which says so: nobody goes on storing what is theirs in another account (S-20).
 */
export function Gate(): ReactNode {
  const state = useSession();
  const person = state.phase === 'in' ? state.user : null;
  const shown = useRef(person?.id ?? null);
  const router = useRouter();
  useEffect(() => {
    if (person === null) {
      // The address as it is at that moment: it changes on the way.
      const { href } = router.state.location;
      void router.navigate({ to: '/sign-in', search: { return: href }, replace: true });
      return;
    }
    const isAnother = shown.current !== null && shown.current !== person.id;
    shown.current = person.id;
    if (!isAnother) return;
    announce(`In another tab somebody else signed in: this browser is now signed in as ${person.email}.`);
    void router.navigate({ to: '/', replace: true });
  }, [person, router]);
  // Another person begins anew: nothing that the one before has opened or typed is sent for them.
  return person === null ? null : <Shell key={person.id} />;
}
