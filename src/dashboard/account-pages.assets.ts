/** Style of the pages; colours follow the reader's own light or dark setting. */
export const STYLE = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; box-sizing: border-box; }
main { width: 100%; max-width: 26rem; }
h1 { font-size: 1.4rem; }
label { display: block; font-weight: 600; }
input { width: 100%; box-sizing: border-box; padding: 0.6rem; margin: 0.25rem 0 0.25rem; font: inherit; }
button { padding: 0.6rem 1.2rem; margin-top: 0.75rem; font: inherit; font-weight: 600; cursor: pointer; }
button[disabled] { cursor: progress; opacity: 0.6; }
.hint { font-size: 0.9rem; margin: 0; }
#outcome { min-height: 1.5rem; }
#outcome.bad { color: light-dark(#b3261e, #ff8a80); }
#outcome.good { color: light-dark(#1b6e2d, #7ddc8c); }
`;

/**
 * What both pages do: take the token out of the address at once, so that it stays in no history, and post it when the
 * reader presses the button. A program that opens the links of mails, even one that runs scripts, cannot use it up (S-9).
 * Whoever is signed in by it to an account without a password is offered a link to set one (S-55).
 */
export const SCRIPT = `'use strict';
const form = document.querySelector('form');
const button = document.querySelector('button');
const password = document.querySelector('input[type=password]');
const outcome = document.getElementById('outcome');
const offer = document.getElementById('offer');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
history.replaceState(null, '', location.pathname);

const REASONS = {
  too_short: 'It needs at least 12 characters.',
  too_long: 'It may have at most 128 characters.',
  common: 'It is one of the most common passwords.',
  personal: 'It is your e-mail address.',
};

function show(text, kind) {
  outcome.textContent = text;
  outcome.className = kind;
}

function explain(body) {
  const error = body?.error;
  const reasons = error?.details?.reasons?.map((reason) => REASONS[reason] ?? reason);
  return reasons ? 'Choose another password. ' + reasons.join(' ') : (error?.message ?? 'That did not work. Try again.');
}

async function post(path, content) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(content),
  });
  return { isGood: response.ok, body: await response.json() };
}

/** Posts once for a press; what follows a good answer is the caller's. */
async function press(pressed, path, content, succeed) {
  if (pressed.disabled) return;
  pressed.disabled = true;
  show('One moment…', '');
  try {
    const { isGood, body } = await post(path, content);
    if (isGood) await succeed(body);
    else show(explain(body), 'bad');
  } catch {
    show('The service cannot be reached. Try again.', 'bad');
  }
  pressed.disabled = false;
}

async function hasNoPassword(accessToken) {
  try {
    const response = await fetch('/account/profile', { headers: { Authorization: 'Bearer ' + accessToken } });
    const profile = await response.json();
    return response.ok && profile.providers.length === 0;
  } catch {
    return false;
  }
}

async function offerPassword({ access_token: accessToken, user }) {
  if (offer === null || !(await hasNoPassword(accessToken))) return;
  const ask = offer.querySelector('button');
  ask.addEventListener('click', () => {
    void press(ask, '/auth/forgot-password', { email: user.email }, () => {
      offer.hidden = true;
      show('A link to set your password is on its way to ' + user.email + '. Open it within 30 minutes.', 'good');
    });
  });
  offer.hidden = false;
}

let isDone = false;

async function succeed(body) {
  isDone = true;
  form.hidden = true;
  show(form.dataset.success, 'good');
  await offerPassword(body);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const content = password ? { token, new_password: password.value } : { token };
  if (!isDone) void press(button, form.dataset.endpoint, content, succeed);
});

if (token === '') {
  form.hidden = true;
  show('This link is not whole. Open it from the mail again.', 'bad');
}
`;

/** One page: what it says and where it posts to. */
interface AccountPage {
  readonly title: string;
  readonly endpoint: string;
  readonly success: string;
  readonly field: string;
  readonly action: string;
  /** What may follow; hidden until the script shows it. */
  readonly offer?: string;
}

const PASSWORD_FIELD = `<label for="password">New password</label>
<input id="password" type="password" name="new-password" autocomplete="new-password" required autofocus aria-describedby="hint">
<p class="hint" id="hint">12 to 128 characters.</p>`;

const PASSWORD_OFFER = `<section id="offer" aria-label="Set a password" hidden>
<p>More than one sign-up was waiting for your address, and nobody can tell which was yours. So none of their passwords counts. Set your own, to be able to sign in again.</p>
<button type="button">Send me a link to set my password</button>
</section>
`;

function pageOf({ title, endpoint, success, field, action, offer = '' }: AccountPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Trading Proxy</title>
<link rel="stylesheet" href="/dashboard/account-pages.css">
<script src="/dashboard/account-pages.js" defer></script>
</head>
<body>
<main>
<h1>${title}</h1>
<form data-endpoint="${endpoint}" data-success="${success}">
${field}
<button type="submit">${action}</button>
</form>
<p id="outcome" role="status" aria-live="polite"></p>
${offer}<noscript>This page needs JavaScript.</noscript>
</main>
</body>
</html>
`;
}

export const VERIFY_PAGE = pageOf({
  title: 'Verify your e-mail address',
  endpoint: '/auth/verify-email',
  success: 'Your address is verified. You are signed in.',
  field: '',
  action: 'Verify the address',
  offer: PASSWORD_OFFER,
});

export const RESET_PAGE = pageOf({
  title: 'Set a new password',
  endpoint: '/auth/reset-password',
  success: 'Your password is set, and every session has ended. Sign in with it.',
  field: PASSWORD_FIELD,
  action: 'Set the password',
});
