const REDACTED = '[redacted]';
const MAX_DEPTH = 8;

/** Names whose values never reach a log, whatever they hold (S-40). Compared lower-cased, without `-` and `_`. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'newpassword',
  'currentpassword',
  'passwordhash',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'code',
  'codeverifier',
  'key',
  'apikey',
  'accesskey',
  'privatekey',
  'secret',
  'clientsecret',
  'passphrase',
  'pepper',
  'signature',
  'signedorder',
  'kalshiaccesskey',
  'kalshiaccesssignature',
  'polyapikey',
  'polypassphrase',
  'polysignature',
]);

/** Shapes that never reach a log, wherever they stand in a line (S-40). */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/svc_sk_live_([0-9A-Za-z]{4})[0-9A-Za-z]+/g, `svc_sk_live_$1${REDACTED}`],
  [/eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, REDACTED],
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, REDACTED],
  [/(refresh_token=|Bearer\s+|[#?&](?:token|code)=)[^\s"\\;&]+/gi, `$1${REDACTED}`],
  [/(\w+:\/\/[^\s:/@"]*:)[^\s@"]+@/g, `$1${REDACTED}@`],
];

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Error) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactNames(value, depth + 1);
}

/** A copy in which every value under a secret name is replaced. */
export function redactNames(record: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const secret = typeof value === 'string' && SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
      return [name, secret ? REDACTED : redactValue(value, depth)];
    }),
  );
}

/** A finished line of the log in which every secret shape is replaced. */
export function redactPatterns(line: string): string {
  return SECRET_PATTERNS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
