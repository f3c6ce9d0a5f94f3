import { baseUrl, secretText, type Setting, socketUrl } from '../../platform/config/setting.js';
import { Secret } from '../../platform/secrets/secret.js';
import { isSigningKey } from './kalshi.signer.js';

const ABOUT_KEY = 'Without it the books of Kalshi are polled. Together with';

/** A private key that signs at Kalshi. */
const signingKey: Setting<Secret> & { readonly fallback: undefined } = {
  ...secretText({
    description: `Private key of the operator's own account for the feeds of Kalshi, PEM. ${ABOUT_KEY} KALSHI_STREAM_ACCESS_KEY.`,
    fallback: undefined,
  }),
  expected: 'a private key in PEM, RSA of 2048 to 4096 bits or Ed25519',
  parse: (text) => (isSigningKey(text) ? new Secret(text) : null),
};

/** Settings of this adapter (contract.md 2). */
export const KALSHI_SETTINGS = {
  KALSHI_API_URL: baseUrl({
    description: 'Base address of the Kalshi API, with /trade-api/v2',
    fallback: 'https://external-api.kalshi.com/trade-api/v2',
  }),
  KALSHI_WS_URL: socketUrl({
    description: 'Address of the WebSocket of Kalshi, with /trade-api/ws/v2',
    fallback: 'wss://external-api-ws.kalshi.com/trade-api/ws/v2',
  }),
  KALSHI_STREAM_ACCESS_KEY: secretText({
    description: `API key of the operator's own account for the feeds of Kalshi; scope read is enough. ${ABOUT_KEY} KALSHI_STREAM_PRIVATE_KEY.`,
    fallback: undefined,
  }),
  KALSHI_STREAM_PRIVATE_KEY: signingKey,
} as const;
