const PIECE = 16;
const STEP = 8;

/** Base64 of bytes that begin anywhere in a group of three: what another text around them makes of them. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
}

/** Every 16 characters that begin at a multiple of eight: each longer part of the text, from 23 characters on, holds one of them. */
function piecesOf(text: string): string[] {
  if (text.length <= PIECE) return [text];
  const starts = Array.from({ length: Math.floor((text.length - PIECE) / STEP) + 1 }, (_, index) => index * STEP);
  return [...starts, text.length - PIECE].map((start) => text.slice(start, start + PIECE));
}

/** All that gives a secret away in a text: pieces of it as it is, percent-encoded, in JSON, in hex, base64 and base64url. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = base64Forms(bytes);
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms.flatMap(piecesOf))];
}
