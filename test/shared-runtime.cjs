const { isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/**
 * Loads packages once for all test files of a worker; Jest would load them anew for each, which took most of the time. The
 * project's own modules are new in each file. The packages run on the global object of shared-environment.cjs.
 */
module.exports = class SharedRuntime extends Runtime {
  /** Loads packages, and what they import; never torn down, since some import late. */
  static #packages;
  static #loaded = new Map();
  /** Loads follow each other: Node cannot link two graphs at once that share modules. */
  static #last = Promise.resolve();

  constructor(...given) {
    super(...given);
    SharedRuntime.#packages ??= new Runtime(...given);
    const { esmLoader } = this;
    const resolveModule = esmLoader.resolveModule.bind(esmLoader);
    // Jest has no public way to this. Its version is pinned; without it the tests are slower and no less right.
    esmLoader.resolveModule = (specifier, from, context) =>
      isPackage(specifier) ? SharedRuntime.#load(specifier, from, context) : resolveModule(specifier, from, context);
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
    const { esmLoader } = SharedRuntime.#packages;
    return esmLoader.linkAndEvaluateModule(await esmLoader.resolveModule(specifier, from, context));
  }
};

/** `@jest/globals` belongs to one file. */
function isPackage(specifier) {
  return !/^(\.|\/|[a-z]+:)/.test(specifier) && !isBuiltin(specifier) && specifier !== '@jest/globals';
}
