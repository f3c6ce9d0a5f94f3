import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The OpenAPI document of the service, as the compiled service writes it; the one that is served is the same. */
export async function ownDocument<Document>(): Promise<Document> {
  const folder = await mkdtemp(join(tmpdir(), 'trading-proxy-openapi-'));
  const file = join(folder, 'openapi.json');
  const script = join(process.env.TEST_BUILD ?? '', 'scripts', 'openapi.js');
  await promisify(execFile)(process.execPath, [script, file]);
  const document = JSON.parse(await readFile(file, 'utf8')) as Document;
  await rm(folder, { recursive: true });
  return document;
}
