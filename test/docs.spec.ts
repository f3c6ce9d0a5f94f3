import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readRules, rulesIn, rulesIndex } from '../scripts/rules.mjs';

const CODE = ['src', 'dashboard/src', 'sandbox', 'scripts', 'test', 'migrations', 'deploy'];
const CONFIGURATION = [
  'eslint.config.mjs',
  'jest.config.mjs',
  '.dependency-cruiser.mjs',
  '.env.example',
  'docker-compose.yml',
  'Dockerfile',
];
/** Short guides beside the code; each has the same name. */
const GUIDES = ['dashboard', 'migrations', 'sandbox', 'src/exchanges', 'src/proxy'].map((folder) =>
  join(folder, 'README.md'),
);
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...GUIDES, ...markdownBelow('docs')];

/** A page of `docs/` and a section of it, such as `contract.md 5`, and further sections: `kalshi.md 4, 6`. */
const CITED_SECTION = /\b([a-zA-Z][a-zA-Z0-9-]*\.md)((?:(?:,| and)? \d+(?:\.\d+)*)+)/g;
const LINK = /\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g;

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).filter((file) => statSync(file).isFile());
}

function markdownBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => file.endsWith('.md'));
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

const citing = [
  ...CODE.flatMap(filesBelow).filter((file) => /\.(?:tsx?|mjs|conf|ya?ml)$/.test(file)),
  ...CONFIGURATION,
  ...PAGES,
];

/** Where each page is: the code names it without its folder. */
const pageByName = new Map(
  PAGES.filter((page) => !GUIDES.includes(page)).map((page) => [page.slice(page.lastIndexOf('/') + 1), page]),
);

/** The numbers of a page's headings: `## 5. Title`, `### 2.4 Title`. */
function sectionsOf(page: string): Set<string> {
  return new Set([...read(page).matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number = '']) => number));
}

function anchorsOf(page: string): Set<string> {
  const titles = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the documents', () => {
  const rules = readRules();

  it('have every rule that is cited', () => {
    const known = new Set(rules.map(({ rule }) => rule));
    const missing = citing.flatMap((file) =>
      [...rulesIn(read(file))].filter((rule) => !known.has(rule)).map((rule) => `${file}: ${rule}`),
    );
    expect(known.size).toBeGreaterThan(80);
    expect(known.size).toBe(rules.length);
    expect(missing).toEqual([]);
  });

  it('name a file that keeps each rule, or the rule says why there is none', () => {
    const unkept = rules.filter(
      ({ files, section }) => (files.length === 0) !== /^- Kept by no file: \S/m.test(section),
    );
    expect(rules.flatMap(({ files }) => files).length).toBeGreaterThan(500);
    expect(unkept).toEqual([]);
  });

  it('name a test that proves each rule', () => {
    const titles = rules.flatMap(({ tests }) => tests.flatMap((each) => each.titles));
    expect(titles.length).toBeGreaterThan(800);
    expect(rules.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it('have an index of the rules that is what code and tests cite now', () => {
    expect(read('docs/rules-index.md')).toBe(rulesIndex());
  });

  it('have every section that is cited', () => {
    const sections = new Map([...pageByName].map(([name, page]) => [name, sectionsOf(page)]));
    const missing = citing.flatMap((file) =>
      [...read(file).matchAll(CITED_SECTION)].flatMap(([, name = '', numbers = '']) =>
        (numbers.match(/\d+(?:\.\d+)*/g) ?? [])
          .filter((number) => sections.get(name)?.has(number) !== true)
          .map((number) => `${file}: ${name} ${number}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are cited by the names that they have', () => {
    const unknown = citing.flatMap((file) =>
      (read(file).match(/\bDESIGN\b|\b(?:style|security|toolchain|unified)\.md\b|\.\.\/shared\b/g) ?? []).map(
        (name) => `${file}: ${name}`,
      ),
    );
    expect(unknown.filter((each) => !each.startsWith('test/docs.spec.ts'))).toEqual([]);
  });

  it('link to what is there', () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(LINK)]
        .filter(([, target = '']) => !/^[a-z]+:/.test(target))
        .filter(([, target = '', anchor]) => {
          const file = target === '' ? page : normalize(join(dirname(page), target));
          if (!existsSync(file)) return true;
          return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
