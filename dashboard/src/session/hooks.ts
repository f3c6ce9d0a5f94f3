import { useSyncExternalStore } from 'react';
import { session, type SessionState } from './session.js';

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}
