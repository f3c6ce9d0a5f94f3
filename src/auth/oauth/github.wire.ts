import { z } from 'zod';

const TOKEN = z.object({ access_token: z.string().min(1) });
const FAILURE = z.object({ error: z.string() });
const USER = z.object({
  id: z.number().int().positive(),
  login: z.string(),
  name: z.unknown(),
  avatar_url: z.unknown(),
});
/** A page of addresses at GitHub has no more; their number is checked before any of them (S-53). */
const MAX_EMAILS = 100;
const EMAILS = z
  .unknown()
  .refine((value) => Array.isArray(value) && value.length <= MAX_EMAILS)
  .pipe(z.array(z.object({ email: z.string(), primary: z.unknown(), verified: z.unknown() })));

export type GitHubUser = z.infer<typeof USER>;
export type GitHubEmail = z.infer<typeof EMAILS>[number];

function parse(text: string): unknown {
  return JSON.parse(text);
}

/** The error code of a token answer, which GitHub sends with status 200; null where it is a token. */
export function tokenFailure(text: string): string | null {
  const failure = FAILURE.safeParse(parse(text));
  return failure.success ? failure.data.error : null;
}

export function parseToken(text: string): string {
  return TOKEN.parse(parse(text)).access_token;
}

export function parseUser(text: string): GitHubUser {
  return USER.parse(parse(text));
}

export function parseEmails(text: string): GitHubEmail[] {
  return EMAILS.parse(parse(text));
}
