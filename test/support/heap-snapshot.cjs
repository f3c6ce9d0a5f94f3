const { renameSync } = require('node:fs');
const { Session } = require('node:inspector');
const { writeHeapSnapshot } = require('node:v8');

/**
 * Loaded into a process with `--require`: SIGUSR2 writes `whole.heapsnapshot` into its directory, which appears when it is whole.
 * V8 gives each function its line. Without the table of lines that a debugger makes it looks for each from the start of the script:
 * 30 s for the bundle of the service.
 */
process.on('SIGUSR2', () => {
  const session = new Session();
  session.connect();
  session.post('Debugger.enable');
  session.disconnect();
  renameSync(writeHeapSnapshot('begun.heapsnapshot'), 'whole.heapsnapshot');
});
