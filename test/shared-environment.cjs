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
