import { readFileSync } from 'node:fs';

/** Licences that let this service be run and passed on without conditions but naming their authors. */
const ACCEPTED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages that name their licence in the old form (`licenses`) or in their README alone, which the lock file leaves out. */
const NAMED_ELSEWHERE = { busboy: 'MIT', 'passport-strategy': 'MIT', pause: 'MIT', streamsearch: 'MIT' };

const NODE_MODULES = 'node_modules/';

/** Path, name, version and licence of each package that the service runs on or is bundled of, as the lock file has them (S-52). */
export function licencesIn(lock) {
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path !== '' && dev !== true && link !== true)
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length);
      return { path, name, version, licence: license ?? NAMED_ELSEWHERE[name] ?? 'unknown' };
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

/** Prints a line a package; the process ends with 1 where one has a licence that nobody has looked at yet. */
function print(file) {
  for (const { name, version, licence } of licencesIn(JSON.parse(readFileSync(file, 'utf8')))) {
    const isAccepted = ACCEPTED.has(licence);
    process.stdout.write(`${name}\t${version}\t${licence}${isAccepted ? '' : '\tnot accepted'}\n`);
    if (!isAccepted) process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) print(process.argv[2] ?? 'package-lock.json');
