/**
 * The token of a mailed link. It stands in the fragment, which no server sees, and is taken out of the address as soon as the page
 * begins, so that it stays in no history. Empty where the link is not whole (S-9).
 */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  if (token !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

export const mailToken = takeToken();

// A link that is opened in this same tab changes the fragment alone: the page begins anew with it.
addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).has('token')) location.reload();
});
