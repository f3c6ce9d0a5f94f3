import { describe, expect, it } from '@jest/globals';
import { Secret } from '../secrets/secret.js';
import { insecureWay, parseDatabaseUrl } from './database-connection.js';

async function warningOf(url: string): Promise<string | null> {
  return insecureWay(await parseDatabaseUrl(new Secret(url)));
}

describe('the way to a database on another machine', () => {
  it.each([
    'postgresql://u:canary@db.example.com/x',
    'postgresql://u:canary@db.example.com/x?sslmode=disable',
    'postgresql://u:canary@10.0.0.7:5432/x',
    'postgresql://u:canary@localhost.example.com/x',
    'postgresql://u:canary@localhost/x?host=db.example.com',
  ])('is warned of where it has no TLS, without the password: %s', async (url) => {
    const warning = await warningOf(url);
    expect(warning).toMatch(/not encrypted.*sslmode=verify-full/);
    expect(warning).not.toContain('canary');
  });

  it.each(['no-verify', 'require'])('is warned of where sslmode=%s proves nothing', async (mode) => {
    expect(await warningOf(`postgresql://u@db.example.com/x?sslmode=${mode}`)).toMatch(/nothing proves.*verify-full/);
  });

  it.each([
    'postgresql://u@db.example.com/x?sslmode=verify-full',
    'postgresql://u@db.example.com/x?ssl=true',
    'postgresql://u@localhost/x',
    'postgresql://u@127.0.0.1/x',
    'postgresql://u@[::1]/x',
    'postgresql:///x?host=/run/postgresql&user=u',
  ])('is fine with TLS that is checked, and on this machine: %s', async (url) => {
    expect(await warningOf(url)).toBeNull();
  });
});
