import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { licencesIn } from './licences.mjs';

const ASKED = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
/** npm says so of a package that is there twice, if the copy that it names is a tool's. */
const OF_DEVELOPERS = 'cdx:npm:package:development';
const LONGEST = 64 * 2 ** 20;

// `npm sbom --omit dev` leaves out whatever a tool of developers needs as well, NestJS among it: what to keep is the lock file's to say
// (S-52).
const kept = licencesIn(JSON.parse(readFileSync('package-lock.json', 'utf8'))).map(
  ({ name, version }) => `${name}@${version}`,
);
const { components, dependencies, ...bom } = JSON.parse(
  execFileSync('npm', ASKED, { encoding: 'utf8', maxBuffer: LONGEST, stdio: ['ignore', 'pipe', 'inherit'] }),
);
const known = new Set([...kept, bom.metadata.component['bom-ref']]);
const document = {
  ...bom,
  components: components
    .filter((component) => known.has(component['bom-ref']))
    .map((component) => ({
      ...component,
      properties: component.properties.filter(({ name }) => name !== OF_DEVELOPERS),
    })),
  dependencies: dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => known.has(one)) })),
};
writeFileSync(process.argv[2] ?? 'sbom.cdx.json', `${JSON.stringify(document, null, 2)}\n`);
