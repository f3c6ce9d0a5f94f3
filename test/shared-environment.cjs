const { AsyncLocalStorage } = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');

/** Those that were used since the test file began, and what Jest had them hold: the test or the hook that runs. */
const storages = new Set();
const running = new Set();

const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...given) {
  const [store] = given;
  storages.add(this);
  if (store?.hook !== undefined || store?.test !== undefined) running.add(store);
  return run.apply(this, given);
};

/**
 * Jest makes an AsyncLocalStorage for each test file. Until one is disabled, Node.js looks at it for every promise of the process:
 * after some dozens most of the time went there. What it holds stays with each promise and timer that was made meanwhile: one of a
 * package that lives on kept the whole service of a former file. One that is used again is enabled by that.
 */
function forgetFormerTests() {
  for (const storage of storages) storage.disable();
  for (const store of running) for (const name of Object.keys(store)) delete store[name];
  storages.clear();
  running.clear();
}

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
    forgetFormerTests();
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.useRealTimers();
    for (const name of Reflect.ownKeys(this.global)) {
      if (!this.#names.has(name)) Reflect.deleteProperty(this.global, name);
    }
    // What was removed, Jest keeps for its own end, which does not come here.
    this._globalProxy.leftovers = [];
    this.global.process.env = { ...this.#variables };
    return Promise.resolve();
  }
};
