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
 */
export const SCRIPT = `'use strict';
const form = document.querySelector('form');
const button = document.querySelector('button');
const password = document.querySelector('input[type=password]');
const outcome = document.getElementById('outcome');
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

let isDone = false;

async function send() {
  if (isDone || button.disabled) return;
  button.disabled = true;
  show('One moment…', '');
  try {
    const response = await fetch(form.dataset.endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(password ? { token, new_password: password.value } : { token }),
    });
    const body = await response.json();
    if (response.ok) {
      isDone = true;
      form.hidden = true;
      show(form.dataset.success, 'good');
    } else {
      show(explain(body), 'bad');
    }
  } catch {
    show('The service cannot be reached. Try again.', 'bad');
  }
  button.disabled = false;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void send();
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
}

const PASSWORD_FIELD = `<label for="password">New password</label>
<input id="password" type="password" name="new-password" autocomplete="new-password" required autofocus aria-describedby="hint">
<p class="hint" id="hint">12 to 128 characters.</p>`;

function pageOf({ title, endpoint, success, field, action }: AccountPage): string {
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
<noscript>This page needs JavaScript.</noscript>
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
});

export const RESET_PAGE = pageOf({
  title: 'Set a new password',
  endpoint: '/auth/reset-password',
  success: 'Your password is set, and every session has ended. Sign in with it.',
  field: PASSWORD_FIELD,
  action: 'Set the password',
});
