const { TestEnvironment } = require('jest-environment-node');

/**
 * One global object for all test files of a worker, because packages that are loaded once (shared-runtime.cjs) know only one
 * `Array`, `Error` and `Promise`. After each file what it has put there is removed, its
 * spies and fake timers end, and the environment variables are as before.
 */
module.exports = class SharedEnvironment extends TestEnvironment {
  static #only;
  #names;
  #variables;

  constructor(config, context) {
    if (SharedEnvironment.#only !== undefined) return SharedEnvironment.#only;
    super(config, context);
    this.#names = new Set(Reflect.ownKeys(this.global));
    this.#variables = { ...this.global.process.env };
    SharedEnvironment.#only = this;
  }

  /** Runs what loads code for all test files: what that puts on the global object, such as the registry of a package, stays. */
  async keeping(load) {
    const before = new Set(Reflect.ownKeys(this.global));
    const loaded = await load();
    for (const name of Reflect.ownKeys(this.global)) if (!before.has(name)) this.#names.add(name);
    return loaded;
  }

  teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.useRealTimers();
    for (const name of Reflect.ownKeys(this.global)) {
      if (!this.#names.has(name)) Reflect.deleteProperty(this.global, name);
    }
    this.global.process.env = { ...this.#variables };
    return Promise.resolve();
  }
};
