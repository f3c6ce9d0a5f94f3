import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Stops the server of global-setup.mjs and removes its files, which as root may lie elsewhere behind a link. */
export default async function tearDown() {
  const { server, directory, data } = globalThis.testDatabase;
  await server.stop();
  await rm(await realpath(join(data, 'postgres')), { recursive: true, force: true });
  for (const place of [data, directory]) await rm(place, { recursive: true, force: true });
}
