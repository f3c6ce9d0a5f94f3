import { addressOfPrivateKey } from '../../exchanges/polymarket/session-keys/private-key.js';
import { BASE64, HEADER_TEXT } from '../../exchanges/polymarket/polymarket.credentials.dto.js';
import type { Environment } from '../../platform/config/environment.js';
import { Secret } from '../../platform/secrets/secret.js';
import type { BuilderCredentials } from './builder.signer.js';
import { CommandFailure } from './failure.js';
import type { Terminal } from './terminal.js';

/** The key of a wallet's owner. */
export interface OwnerKey {
  readonly address: string;
  readonly privateKey: Secret;
}

const LONGEST = 512;

/** The secrets of the owner, from the environment or typed; kept nowhere else than here (S-58). */
export class OwnerSecrets {
  constructor(
    private readonly environment: Environment,
    private readonly terminal: Terminal,
  ) {}

  /** Throws CommandFailure where it is no private key, without repeating it. */
  async ownerKey(): Promise<OwnerKey> {
    const text = await this.#read('POLYMARKET_OWNER_KEY', "Private key of the wallet's owner");
    const privateKey = new Secret(/^[0-9a-fA-F]{64}$/.test(text) ? `0x${text}` : text);
    const address = addressOfPrivateKey(privateKey);
    if (address !== null) return { address, privateKey };
    throw new CommandFailure(
      'POLYMARKET_OWNER_KEY is no private key: it must be 64 hex digits, with or without 0x.',
      2,
    );
  }

  async builderKey(): Promise<BuilderCredentials> {
    return {
      apiKey: await this.#builderValue('POLYMARKET_BUILDER_API_KEY', 'Builder API key', HEADER_TEXT),
      secret: await this.#builderValue('POLYMARKET_BUILDER_SECRET', 'Builder secret', BASE64),
      passphrase: await this.#builderValue('POLYMARKET_BUILDER_PASSPHRASE', 'Builder passphrase', HEADER_TEXT),
    };
  }

  async #builderValue(name: string, what: string, form: RegExp): Promise<Secret> {
    const text = await this.#read(name, what);
    if (text.length <= LONGEST && form.test(text)) return new Secret(text);
    throw new CommandFailure(`${name} is not what polymarket.com shows as the ${what}. Copy it anew.`, 2);
  }

  async #read(name: string, what: string): Promise<string> {
    const value = this.environment[name]?.trim() ?? '';
    if (value !== '') return value;
    if (this.terminal.isInteractive) return this.terminal.askHidden(what);
    throw new CommandFailure(`${name} is not set, and there is no terminal to type it at.`, 2);
  }
}
