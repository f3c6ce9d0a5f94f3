import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { rootCertificates, TLSSocket } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Secret } from '../src/platform/secrets/secret.js';
import {
  clientConfig,
  type DatabaseConnection,
  parseDatabaseUrl,
} from '../src/platform/database/database-connection.js';
import { reasonOf } from './support/database-module.js';
import { useWorkspace } from './support/embedded-service.js';
import { Loopback } from './support/loopback.js';

const workspace = useWorkspace();

/** Self-signed, for the name localhost, until 2124; it protects nothing. */
const TLS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUOYMoV0+Yi8FkUK1
9Nulxq0rr3Kt+IEXa116liFxsgyhRANCAATh3IU9rkgPwM9iMemMXISFMknGmqEu
Nv5Sfyex/OyLN5H5SIvIz8tmqTOOC0MW+Y7ggkQe5yvpyMCr+SnAgte4
-----END PRIVATE KEY-----
`;
const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBYjCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOHchT2uSA/Az2Ix
6YxchIUyScaaoS42/lJ/J7H87Is3kflIi8jPy2apM44LQxb5juCCRB7nK+nIwKv5
KcCC17ijSDBGMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0
MB0GA1UdDgQWBBRlXa/6DdXUywbUOWwRzrjdHea+dTAKBggqhkjOPQQDAgNJADBG
AiEA+aWkF1SqgNDe9jdRKG991cyJ/E1FyEDW8Ml8jluAHtYCIQCVNXCm94TJW6Bc
dGa3HC9LdlsIXYdmZdboVdS3EFbqpw==
-----END CERTIFICATE-----
`;

/** What a PostgreSQL server says until the client is in, over TLS if asked to: AuthenticationOk, then ReadyForQuery. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
const TLS_REQUEST_BYTES = 8;

describe('DATABASE_URL', () => {
  const server = createServer((socket) => {
    socket.once('data', (request) => {
      if (request.length !== TLS_REQUEST_BYTES) {
        socket.write(WELCOME);
        return;
      }
      socket.write('S');
      const secured = new TLSSocket(socket, { isServer: true, key: TLS_KEY, cert: TLS_CERTIFICATE });
      secured.on('error', () => undefined);
      secured.once('data', () => secured.write(WELCOME));
    });
  });
  let loopback: Loopback;
  let right: string;
  let wrong: string;

  beforeAll(async () => {
    right = join(workspace.path, 'right.pem');
    wrong = join(workspace.path, 'wrong.pem');
    await writeFile(right, TLS_CERTIFICATE);
    await writeFile(wrong, rootCertificates[0] ?? '');
    loopback = await Loopback.start(server);
  });

  afterAll(() => loopback.close());

  /** `tls`, `plain` or why not. */
  async function connect(host: string, parameters: Record<string, string>): Promise<string> {
    const { port } = loopback;
    const url = `postgresql://u:p@${host}:${String(port)}/d?${new URLSearchParams(parameters).toString()}`;
    const client = new pg.Client(clientConfig(await parseDatabaseUrl(new Secret(url))));
    try {
      await client.connect();
      const stream: unknown = Reflect.get(Reflect.get(client, 'connection'), 'stream');
      return Reflect.get(stream as object, 'encrypted') === true ? 'tls' : 'plain';
    } catch (error) {
      return isNativeError(error) && 'code' in error ? String(error.code) : String(error);
    } finally {
      await client.end();
    }
  }

  it.each([
    ['127.0.0.1', {}, 'plain'],
    ['127.0.0.1', { sslmode: 'disable' }, 'plain'],
    ['127.0.0.1', { sslmode: 'no-verify' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require', sslrootcert: 'right' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require', sslrootcert: 'wrong' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'right' }, 'tls'],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'wrong' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['127.0.0.1', { sslmode: 'verify-full', sslrootcert: 'right' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['localhost', { sslmode: 'verify-full', sslrootcert: 'right' }, 'tls'],
    ['localhost', { sslmode: 'verify-full' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['localhost', { ssl: 'true' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['localhost', { sslrootcert: 'right' }, 'tls'],
  ])('connects to %s with %j: %s', async (host, parameters, expected) => {
    const files: Record<string, string> = { right, wrong };
    const named = Object.entries(parameters).map(([name, value]) => [name, files[value] ?? value] as const);
    expect(await connect(host, Object.fromEntries(named))).toBe(expected);
  });

  it.each([
    ['mysql://user:canary@host/db', /must be postgresql:/],
    ['postgresql://user:canary@one:1,two:2/db', /one host/],
    ['postgresql://user:canary%@host/db', /write it as %25/],
    ['postgresql://user:canary@host/db?sslmode=prefer', /sslmode must be one of disable/],
    ['postgresql://user:canary@host/db?sslmode=verify-ca', /needs sslrootcert/],
    ['postgresql://user:canary@host/db?sslmode=require&sslrootcert=/nowhere', /sslrootcert cannot be read/],
  ])('refuses %s without showing it', async (url, message) => {
    const error = await reasonOf(() => parseDatabaseUrl(new Secret(url)));
    expect(error).toMatchObject({ message: expect.stringMatching(message) as unknown });
    expect(String(error)).not.toContain('canary');
  });

  it('reads codes, IPv6 addresses and sockets', async () => {
    const read = (url: string): Promise<DatabaseConnection> => parseDatabaseUrl(new Secret(url));
    const { password, ...rest } = await read('postgres://u%40x:p%2F%25@[::1]:6000/d%20b?options=-c%20a%3Db');
    expect(rest).toMatchObject({ username: 'u@x', host: '::1', port: 6000, database: 'd b', sessionOptions: '-c a=b' });
    expect(password?.reveal()).toBe('p/%');
    const socket = await read('postgresql:///d?host=/run/pg&user=u&sslmode=require');
    expect(socket).toMatchObject({ host: '/run/pg', port: 5432, username: 'u', database: 'd', tls: false });
    expect(await read('postgresql://%2Frun%2Fpg/d')).toMatchObject({ host: '/run/pg', database: 'd' });
  });
});
