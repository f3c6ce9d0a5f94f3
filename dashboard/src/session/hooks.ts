import { useSyncExternalStore } from 'react';
import { keyring, type KnownKey } from './keyring.js';
import { session, type SessionState } from './session.js';

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}

/** The API key that this tab knows; null where it knows none. */
export function useKnownKey(): KnownKey | null {
  return useSyncExternalStore(keyring.subscribe, keyring.known);
}
