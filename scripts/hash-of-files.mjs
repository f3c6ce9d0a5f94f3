import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file in a folder and its folders. */
export async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** One digest of the names below `root` and the contents of these files: what is made of the same need not be made again. */
export async function hashOfFiles(root, paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort())
    hash
      .update(path.slice(root.length))
      .update('\0')
      .update(await readFile(path));
  return hash.digest('hex');
}
