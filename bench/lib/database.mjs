import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import bcrypt from 'bcrypt';
import pg from 'pg';

const BCRYPT_COST = 12;

const PEER_TABLES = `
  CREATE TABLE bench_users (id text PRIMARY KEY, email text UNIQUE NOT NULL, name text NOT NULL, password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE bench_keys (hash text PRIMARY KEY, user_id text NOT NULL, scopes text[] NOT NULL, revoked_at timestamptz);
  CREATE TABLE bench_credentials (user_id text PRIMARY KEY, exchange text NOT NULL, sealed text NOT NULL);`;

/** PostgreSQL of the project's own packages, for this service and its peers alike, each in a database of its own. */
export class BenchDatabase {
  #server;

  constructor(server) {
    this.#server = server;
  }

  /** `dist` is a build of this project, which knows how to start the server. */
  static async start(dist, directory) {
    // As root the server runs as another user, who must get in.
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
    const module = join(dist, 'src', 'platform', 'embedded-postgres', 'embedded-postgres.js');
    const { EmbeddedPostgres } = await import(pathToFileURL(module).href);
    return new BenchDatabase(await EmbeddedPostgres.start({ directory: join(directory, 'postgres') }));
  }

  /** The address of a database of this name. */
  url(name) {
    const { host, port, username } = this.#server.connection;
    return `postgresql:///${name}?${new URLSearchParams({ host, port: String(port), user: username })}`;
  }

  /** Of the process that all its others come from. */
  async pid() {
    const [{ data_directory: files }] = await this.query('postgres', 'SHOW data_directory');
    return Number((await readFile(join(files, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
  }

  /** Makes an empty database and returns its address. */
  async create(name) {
    await this.query('postgres', `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async query(name, sql, parameters) {
    const client = new pg.Client({ connectionString: this.url(name) });
    await client.connect();
    try {
      return (await client.query(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  async stop() {
    await this.#server.stop();
  }
}

/** Fills the database of the peers: one user with one key and credentials of Kalshi, sealed as a team would. */
export async function createPeerDatabase(database, { key, kalshi, logIn }) {
  const url = await database.create('bench_peers');
  const sealingKey = randomBytes(32);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(kalshi)), cipher.final()]);
  const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  const digest = createHash('sha256').update(key).digest('base64');
  const password = await bcrypt.hash(logIn.password, BCRYPT_COST);
  await database.query('bench_peers', PEER_TABLES);
  const user = "INSERT INTO bench_users (id, email, name, password_hash) VALUES ('u1', $1, 'Bench', $2)";
  await database.query('bench_peers', user, [logIn.email, password]);
  await database.query('bench_peers', "INSERT INTO bench_keys VALUES ($1, 'u1', '{read,trade}')", [digest]);
  await database.query('bench_peers', "INSERT INTO bench_credentials VALUES ('u1', 'kalshi', $1)", [sealed]);
  return { url, sealingKey: sealingKey.toString('base64') };
}
