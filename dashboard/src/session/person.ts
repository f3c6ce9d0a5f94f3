import { queries } from '../api/queries.js';
import { announce } from '../components/announcer.js';
import { confirmation } from './confirmation.js';
import { session } from './session.js';

let person: string | null = null;

/**
 * What this tab knows of one person is forgotten when the session ends, in whatever tab, or becomes another person's: then too,
 * as a call of the one before may have ended in between.
 */
session.subscribe(() => {
  const state = session.state();
  const now = state.phase === 'in' ? state.user.id : null;
  if (now !== person) {
    queries.clear();
    announce('');
    confirmation.settle(false);
  }
  person = now;
});
