/** What an adapter alone needs to be set up. */
export const ADAPTER_SETTINGS = {
  NODE_ENV: 'test',
  JWT_SECRET: 'j'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PASSWORD_PEPPER: 'p'.repeat(32),
};
