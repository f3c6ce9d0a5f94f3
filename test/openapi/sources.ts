import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Every `*.ts` file under a folder of the repository that is no test, as text. */
async function sourcesOf(folder: string, files: RegExp): Promise<string> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  const wanted = entries.filter((name) => files.test(name) && !name.endsWith('.spec.ts')).sort();
  const texts = await Promise.all(wanted.map((name) => readFile(join(ROOT, folder, name), 'utf8')));
  return texts.join('\n');
}

/** A path or operation with `{}` for each variable segment, however it is written: `{id}`, `:id` or `${id}`. */
export function anonymous(path: string): string {
  return path.replaceAll(/\$?\{[^}]*\}|(?<=\/):\w+/g, '{}');
}

/** The routes that one API of a stand-in declares, as `GET /path/{}`. */
export async function sandboxRoutes(api: string): Promise<string[]> {
  const text = await sourcesOf(`sandbox/${api}`, /\.ts$/);
  return [...text.matchAll(/'((?:GET|POST|DELETE) \/[^']*)':/g)].map(([, route = '']) => anonymous(route));
}

/** The commands that speak with an exchange by parts of its adapter. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = { polymarket: ['src/commands/session-key'] };

/** The paths that an adapter and its commands call; its list for `npm run drift` is none of its calls. */
export async function adapterPaths(exchange: string): Promise<string[]> {
  const folders = [`src/exchanges/${exchange}`, ...(COMMANDS[exchange] ?? [])];
  const texts = await Promise.all(folders.map((folder) => sourcesOf(folder, /(?<!\.drift)\.ts$/)));
  const paths = [...texts.join('\n').matchAll(/['`](\/[a-z][^'`\s]*)['`]/g)].map(([, path = '']) => anonymous(path));
  return [...new Set(paths)].sort();
}
