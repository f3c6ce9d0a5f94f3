import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { PolymarketClient } from '../src/exchanges/polymarket/connection/client.js';
import { newKeyPair } from '../src/exchanges/polymarket/session-keys/private-key.js';
import { PolymarketSessionKeys } from '../src/exchanges/polymarket/session-keys/session-keys.js';
import { PolymarketExchange } from '../src/exchanges/polymarket/polymarket.exchange.js';
import { Settings } from '../src/platform/config/settings.js';
import { UpstreamClients } from '../src/platform/upstream/upstream-clients.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';
import { ADAPTER_SETTINGS } from './support/settings.js';

describe('contract.md 8.1 npm run polymarket:session-key, as a wallet’s owner runs it', () => {
  let sandbox: Sandbox;
  let own: OwnProcesses;
  let clients: UpstreamClients;
  let sessionKeys: PolymarketSessionKeys;

  beforeAll(async () => {
    sandbox = await startSandbox();
    own = await OwnProcesses.open();
    const addresses = exchangeAddresses(sandbox.addresses);
    const settings = Settings.read({ ...ADAPTER_SETTINGS, ...addresses }, PolymarketExchange.settings);
    clients = new UpstreamClients(settings);
    const client = new PolymarketClient(settings, clients);
    sessionKeys = new PolymarketSessionKeys(client, { totalMs: 5_000, pauseMs: 100 });
  });

  afterAll(async () => {
    await clients.onApplicationShutdown();
    await own.close();
    await sandbox.close();
  });

  /** Nothing else of the service is set: no database, no secrets of its own. */
  function environment(): Record<string, string> {
    const { clob_url, relayer_url, deposit_wallet, builder } = sandbox.addresses.polymarket;
    return {
      POLYMARKET_CLOB_URL: clob_url,
      POLYMARKET_RELAYER_URL: relayer_url,
      POLYMARKET_OWNER_KEY: deposit_wallet.owner_private_key,
      POLYMARKET_BUILDER_API_KEY: builder.api_key,
      POLYMARKET_BUILDER_SECRET: builder.secret,
      POLYMARKET_BUILDER_PASSPHRASE: builder.passphrase,
    };
  }

  /** Runs the command to its end; nothing that it writes holds a secret. */
  async function run(
    words: readonly string[],
    variables = environment(),
  ): Promise<{ code: number | null | string; text: string }> {
    const started = own.run('scripts/polymarket-session-key.js', variables, words);
    const code = await exitOf(started);
    const text = started.output();
    const { deposit_wallet, builder } = sandbox.addresses.polymarket;
    for (const secret of [deposit_wallet.owner_private_key.slice(2), builder.secret, builder.passphrase]) {
      expect(text).not.toContain(secret);
    }
    expect(started.child.spawnargs.join(' ')).not.toContain(deposit_wallet.owner_private_key.slice(2));
    return { code, text };
  }

  it('authorises a key that the exchange then accepts, lists it, and revokes it', async () => {
    const { address: wallet } = sandbox.addresses.polymarket.deposit_wallet;
    const pair = newKeyPair();
    const key = { ...pair, walletAddress: wallet };
    const { command } = sessionKeys.authorizationOf(wallet, pair.address);
    const words = command.replace('npm run polymarket:session-key -- ', '').split(' ');

    const authorized = await run([...words, '--yes']);
    expect(authorized.text).toMatch(/^valid_until: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/m);
    expect(authorized.code).toBe(0);
    const end = /valid_until: (\S+)/.exec(authorized.text)?.[1] ?? '';
    const days = (Date.parse(end) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(179);
    expect(days).toBeLessThan(180);

    expect(await run(['list', '--wallet', wallet])).toEqual({ code: 0, text: `${pair.address}\tCLOB\t${end}\n` });
    await expect(sessionKeys.awaitAccepted(key, null)).resolves.toMatchObject({ validUntil: null });

    const revoked = await run(['revoke', '--wallet', wallet, '--session', pair.address, '--yes']);
    expect(revoked.text).toContain(`revoked: ${pair.address}\n`);
    expect(revoked.code).toBe(0);
    expect((await run(['list', '--wallet', wallet])).text).toBe('No session key may trade for this wallet.\n');
    await expect(sessionKeys.awaitAccepted(key, null)).rejects.toMatchObject({
      code: 'credentials_rejected',
      details: { reason: 'session_key_not_authorized' },
    });
  });

  it('ends with 1 where the owner key is of another wallet, and says so', async () => {
    const { address: wallet } = sandbox.addresses.polymarket.deposit_wallet;
    const stranger = newKeyPair();
    const variables = { ...environment(), POLYMARKET_OWNER_KEY: stranger.privateKey.reveal() };
    const { code, text } = await run(
      ['authorize', '--wallet', wallet, '--session', newKeyPair().address, '--yes'],
      variables,
    );
    expect(code).toBe(1);
    expect(text).toContain(`Check that ${wallet} is a deposit wallet and that ${stranger.address} is its owner`);
    expect(text).not.toContain(stranger.privateKey.reveal().slice(2));
  });

  it('ends with 1 where the Builder key has no right, and says whom to write to', async () => {
    const { address: wallet } = sandbox.addresses.polymarket.deposit_wallet;
    const variables = { ...environment(), POLYMARKET_BUILDER_API_KEY: 'c4a1f0b2-7d35-4e8c-b6f9-0e51a2d3c4b5' };
    const words = ['authorize', '--wallet', wallet, '--session', newKeyPair().address, '--yes'];
    const { code, text } = await run(words, variables);
    expect(code).toBe(1);
    expect(text).toContain('write to builder@polymarket.com');
  });

  it('S-58 ends with 2 and sends nothing where a key stands among its arguments, or is missing', async () => {
    const { address: wallet, owner_private_key } = sandbox.addresses.polymarket.deposit_wallet;
    const { POLYMARKET_CLOB_URL = '', POLYMARKET_RELAYER_URL = '' } = environment();
    const addresses = { POLYMARKET_CLOB_URL, POLYMARKET_RELAYER_URL };
    const started = own.run('scripts/polymarket-session-key.js', addresses, ['list', '--wallet', owner_private_key]);
    expect(await exitOf(started)).toBe(2);
    expect(started.output()).toContain('treat it as known to others');
    expect(started.output()).not.toContain(owner_private_key.slice(2));
    const { code, text } = await run(['list', '--wallet', wallet], addresses);
    expect(code).toBe(2);
    expect(text).toBe('POLYMARKET_OWNER_KEY is not set, and there is no terminal to type it at.\n');
  });
});
