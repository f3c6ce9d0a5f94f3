import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const CODE = ['src', 'sandbox', 'scripts', 'test', 'migrations'];
const CONFIGURATION = [
  'eslint.config.mjs',
  'jest.config.mjs',
  '.dependency-cruiser.mjs',
  '.env.example',
  'docker-compose.yml',
];
/** Short guides beside the code; each has the same name. */
const GUIDES = ['dashboard', 'migrations', 'sandbox', 'src/proxy'].map((folder) => join(folder, 'README.md'));
const PAGES = ['README.md', 'CONTRIBUTING.md', ...GUIDES, ...markdownBelow('docs')];

const CITED_RULE = /\b[SR]-\d+\b/g;
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

const citing = [...CODE.flatMap(filesBelow).filter((file) => /\.(?:ts|mjs)$/.test(file)), ...CONFIGURATION, ...PAGES];

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

/** The tests that `rules.md` names: a link to a file, and quoted names behind it, up to the next link or paragraph. */
function quotedTests(): { readonly file: string; readonly name: string }[] {
  const items = read('docs/rules.md').split(/\n\s*- |\n\n/);
  const parts = items.flatMap((item) => item.replace(/\s+/g, ' ').split(/(?=\[[^\]]+\]\(\.\.\/)/));
  return parts.flatMap((part) => {
    const [link, file = ''] = /^\[[^\]]+\]\(\.\.\/([^)]+)\)/.exec(part) ?? [];
    if (link === undefined) return [];
    return [...part.slice(link.length).matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name }));
  });
}

describe('the documents', () => {
  it('have every rule that is cited', () => {
    const rules = new Set([...read('docs/rules.md').matchAll(/^### ([SR]-\d+) /gm)].map(([, rule]) => rule));
    const missing = citing.flatMap((file) =>
      (read(file).match(CITED_RULE) ?? []).filter((rule) => !rules.has(rule)).map((rule) => `${file}: ${rule}`),
    );
    expect(rules.size).toBeGreaterThan(80);
    expect(missing).toEqual([]);
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

  it('name tests that are there', () => {
    const tests = quotedTests();
    const missing = tests.filter(({ file, name }) => !existsSync(file) || !read(file).includes(name));
    expect(tests.length).toBeGreaterThan(400);
    expect(missing).toEqual([]);
  });
});
