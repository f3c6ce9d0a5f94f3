const { isBuiltin } = require('node:module');
const { dirname, join, resolve, sep } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const ROOT = join(__dirname, '..');
/** The project's own code that keeps nothing between the applications of one process, and so nothing between test files. */
const OWN_CODE = ['src', 'sandbox', 'migrations'].map((name) => join(ROOT, name) + sep);

/**
 * Loads packages and the project's own code once for all test files of a worker; Jest would load them anew for each, which took
 * most of the time. Only specs and what lies in `test` are new in each file. What is shared runs on the global object of
 * shared-environment.cjs.
 */
module.exports = class SharedRuntime extends Runtime {
  /** Loads what is shared, and what that imports; never torn down, since some import late. */
  static #shared;
  static #environment;
  static #loaded = new Map();
  /** Loads follow each other: Node cannot link two graphs at once that share modules. */
  static #last = Promise.resolve();

  constructor(...given) {
    super(...given);
    SharedRuntime.#shared ??= new Runtime(...given);
    [, SharedRuntime.#environment] = given;
    const { esmLoader } = this;
    const resolveModule = esmLoader.resolveModule.bind(esmLoader);
    // Jest has no public way to this. Its version is pinned; without it the tests are slower and no less right.
    esmLoader.resolveModule = (specifier, from, context) => {
      const shared = isPackage(specifier) ? specifier : ownCode(specifier, from);
      return shared === null ? resolveModule(specifier, from, context) : SharedRuntime.#load(shared, from, context);
    };
  }

  /** Where the lines of compiled code stand in its source, for stack traces. */
  getSourceMaps() {
    const [own, shared] = [super.getSourceMaps(), SharedRuntime.#shared.getSourceMaps()];
    return {
      get: (path) => own.get(path) ?? shared.get(path),
      *[Symbol.iterator]() {
        yield* own;
        yield* shared;
      },
    };
  }

  static #load(specifier, from, context) {
    if (!SharedRuntime.#loaded.has(specifier)) {
      const load = () => SharedRuntime.#evaluate(specifier, from, context);
      SharedRuntime.#last = SharedRuntime.#last.then(load, load);
      SharedRuntime.#loaded.set(specifier, SharedRuntime.#last);
    }
    return SharedRuntime.#loaded.get(specifier);
  }

  static async #evaluate(specifier, from, context) {
    const { esmLoader } = SharedRuntime.#shared;
    return SharedRuntime.#environment.keeping(async () =>
      esmLoader.linkAndEvaluateModule(await esmLoader.resolveModule(specifier, from, context)),
    );
  }
};

/** `@jest/globals` belongs to one file. */
function isPackage(specifier) {
  return !/^(\.|\/|[a-z]+:)/.test(specifier) && !isBuiltin(specifier) && specifier !== '@jest/globals';
}

/** The path of a module of the project's own code, as it is imported; null for another. */
function ownCode(specifier, from) {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return null;
  const path = resolve(dirname(from), specifier.replace(/\.js$/, '.ts'));
  return OWN_CODE.some((folder) => path.startsWith(folder)) ? path : null;
}
