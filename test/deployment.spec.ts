import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Container {
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly tmpfs?: string[];
  readonly command?: string[];
  readonly environment?: Record<string, string>;
}

const { services } = parse(readFileSync('docker-compose.yml', 'utf8')) as { services: Record<string, Container> };
const nginx = readFileSync('deploy/nginx.conf', 'utf8');

/** The text between the braces behind `location NAME`. */
function locationOf(name: string): string {
  const start = nginx.indexOf(`location ${name} {`);
  return nginx.slice(start, nginx.indexOf('\n    }\n', start));
}

describe('docker-compose.yml', () => {
  it.each(Object.keys(services))('%s can change nothing of itself and gain no right', (name) => {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(services[name]).not.toHaveProperty('cap_add');
    expect(services[name]).not.toHaveProperty('privileged');
  });

  it('none of the images that start as root does: without capabilities they could not change to another user', () => {
    expect(['postgres', 'redis', 'balancer'].map((name) => services[name]?.user)).toEqual([
      'postgres',
      'redis',
      'nginx',
    ]);
  });

  it('the service trusts the balancer and nobody in front of it, who tells it the one address that counts', () => {
    expect(services.service?.environment?.TRUST_PROXY).toBe('1');
    expect(nginx).toMatch(/^ *proxy_set_header X-Forwarded-For \$remote_addr;$/m);
    expect(nginx).not.toContain('$proxy_add_x_forwarded_for');
    expect(nginx).toMatch(/^ *real_ip_recursive off;$/m);
  });

  it('Redis asks for a password, which stands in no command line', () => {
    const { redis, service } = services;
    expect(service?.environment?.REDIS_URL).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD\}@redis:/);
    expect(redis?.environment?.REDIS_PASSWORD).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    expect(redis?.command?.join(' ')).toContain('requirepass');
    expect(redis?.command?.join(' ')).not.toMatch(/(?<!\$)\$\{?REDIS_PASSWORD/);
  });
});

describe('deploy/nginx.conf', () => {
  it('passes reads to a second replica at most, for a few seconds at most', () => {
    expect(locationOf('/')).toMatch(
      /proxy_next_upstream error;\s+proxy_next_upstream_tries 2;\s+proxy_next_upstream_timeout \d+s;/,
    );
  });

  it('passes nothing but reads to a second replica: an order must never go out twice', () => {
    expect(locationOf('/')).toMatch(/if \(\$request_method !~ \^\(GET\|HEAD\)\$\) \{\s+return 418;/);
    expect(locationOf('/')).toContain('error_page 418 = @write;');
    expect(locationOf('@write')).toContain('proxy_next_upstream off;');
    expect(nginx).not.toContain('non_idempotent');
    expect(locationOf('@unsent')).toMatch(/if \(\$upstream_bytes_sent != 0\) \{\s+return 418;/);
    expect(locationOf('@unsent')).toContain('error_page 418 502 504 = @lost;');
    expect(locationOf('@unsent')).toContain('proxy_next_upstream off;');
  });

  it('waits longer for the activation of a session key, which is passed to one replica alone too (contract.md 9)', () => {
    const location = locationOf('~ ^/account/credentials/[^/]+/session-key/activate$');
    expect(location).toContain('proxy_next_upstream off;');
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(location)?.[1])).toBeGreaterThan(65 + 60);
  });
});

describe('npm run licences', () => {
  const run = (lock: string): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, ['scripts/licences.mjs', lock], { encoding: 'utf8' });

  it('S-52 every package that the service runs on has a licence that was looked at', () => {
    const { status, stdout } = run('package-lock.json');
    expect([status, stdout.match(/not accepted/g)]).toEqual([0, null]);
    expect(stdout).toMatch(/^@nestjs\/core\t\S+\tMIT$/m);
    expect(stdout).not.toMatch(/^jest\t/m);
  });

  it('refuses a licence that nobody has looked at, and a package without one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-licences-'));
    const lock = join(folder, 'lock.json');
    const packages = {
      'node_modules/fine': { version: '1.0.0', license: 'MIT' },
      'node_modules/fine/node_modules/strict': { version: '2.0.0', license: 'AGPL-3.0' },
      'node_modules/silent': { version: '3.0.0' },
      'node_modules/tool': { version: '4.0.0', license: 'AGPL-3.0', dev: true },
    };
    writeFileSync(lock, JSON.stringify({ packages }));
    const { status, stdout } = run(lock);
    expect([status, stdout]).toEqual([
      1,
      'fine\t1.0.0\tMIT\nsilent\t3.0.0\tunknown\tnot accepted\nstrict\t2.0.0\tAGPL-3.0\tnot accepted\n',
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('base images', () => {
  const images = [readFileSync('Dockerfile', 'utf8'), readFileSync('docker-compose.yml', 'utf8')].flatMap((text) =>
    [...text.matchAll(/^(?:FROM | *image: )(\S+)/gm)].map(([, image = '']) => image),
  );

  it('name a version, and those that hold code or data of ours also a digest', () => {
    expect(images.filter((image) => !/^[a-z]+:[\w.-]+(?:@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([]);
    expect(images.filter((image) => /^(?:node|postgres):/.test(image) && !image.includes('@'))).toEqual([]);
    expect(images.filter((image) => image.endsWith(':latest'))).toEqual([]);
    expect(new Set(images.filter((image) => image.startsWith('node:'))).size).toBe(1);
  });
});
