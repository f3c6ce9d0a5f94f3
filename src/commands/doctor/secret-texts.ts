import type { Settings } from '../../platform/config/settings.js';
import type { Secret } from '../../platform/secrets/secret.js';
import type { CheckResult } from './finding.js';

/** Shorter passwords are also ordinary words: taking them out would hide what was said, and where they stand. */
const SHORTEST = 4;

function passwordsIn(url: Secret | undefined): string[] {
  if (url === undefined) return [];
  const text = url.reveal();
  const { password, searchParams } = new URL(text);
  return [text, password, decoded(password), searchParams.get('password') ?? ''];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The texts of an installation's secrets: the last net behind checks that name none. */
export class SecretTexts {
  readonly #texts: readonly string[];

  constructor(settings: Settings | null) {
    const texts =
      settings === null
        ? []
        : [
            ...[settings.databaseUrl, settings.redisUrl, settings.smtpUrl].flatMap(passwordsIn),
            ...settings.jwtSecrets.map((secret) => secret.reveal()),
            ...settings.encryptionKeys.map(({ key }) => key.reveal()),
            settings.passwordPepper.reveal(),
            ...[settings.google, settings.github].flatMap((client) => client?.clientSecret?.reveal() ?? []),
          ];
    this.#texts = [...new Set(texts)].filter((text) => text.length >= SHORTEST);
  }

  /** The same result without any of them. */
  removedFrom(result: CheckResult): CheckResult {
    const { message, hint } = result;
    return { ...result, message: this.#without(message), hint: hint === null ? null : this.#without(hint) };
  }

  #without(text: string): string {
    return this.#texts.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  }
}
