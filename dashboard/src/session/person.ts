import { queries } from '../api/queries.js';
import { keyring } from './keyring.js';
import { session } from './session.js';

let person: string | null = null;

/** What this tab knows of one person is forgotten when the session ends, in whatever tab, or becomes another person's. */
session.subscribe(() => {
  const state = session.state();
  const now = state.phase === 'in' ? state.user.id : null;
  if (person !== null && now !== person) {
    keyring.forget();
    queries.clear();
  }
  person = now;
});
