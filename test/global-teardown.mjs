import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Stops the server of global-setup.mjs and removes its files, which as root may lie elsewhere behind a link. */
export default async function tearDown() {
  const { server, directory } = globalThis.testDatabase;
  await server.stop();
  await rm(await realpath(join(directory, 'postgres')), { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}
