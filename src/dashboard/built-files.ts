import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Best first, with the ending of the file that the build made of each. */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** A file of the dashboard as the build wrote it. */
export interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Smaller forms, best first; none for a file that is too small to gain by it. */
  readonly encoded: readonly { readonly name: string; readonly content: Buffer }[];
}

/** The folder that `npm run build` wrote: beside `src`, where this runs from sources and where it runs bundled. */
function findFolder(): string {
  let above = dirname(fileURLToPath(import.meta.url));
  while (above !== dirname(above)) {
    above = dirname(above);
    const folder = join(above, 'dashboard', 'dist');
    if (existsSync(join(folder, 'index.html'))) return folder;
  }
  throw new Error('The dashboard is not built: npm run build.');
}

function readAsset(folder: string, name: string): BuiltFile | null {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined) return null;
  const path = join(folder, name);
  const encoded = ENCODINGS.filter(({ ending }) => existsSync(path + ending)).map(({ name: encoding, ending }) => {
    return { name: encoding, content: readFileSync(path + ending) };
  });
  return { type, plain: readFileSync(path), encoded };
}

/** What the build made of the dashboard: its page, and its assets by their names, read once. */
export class BuiltFiles {
  readonly page: string;
  readonly #assets = new Map<string, BuiltFile>();

  constructor() {
    const folder = findFolder();
    this.page = readFileSync(join(folder, 'index.html'), 'utf8');
    const assets = join(folder, 'assets');
    for (const name of readdirSync(assets)) {
      const asset = readAsset(assets, name);
      if (asset !== null) this.#assets.set(name, asset);
    }
  }

  asset(name: string): BuiltFile | undefined {
    return this.#assets.get(name);
  }
}
