import type { Logger } from 'pino';

const EXIT_FAILED = 1;
const CRASH_DRAIN_MS = 5_000;

/** Something that runs until it is told to stop. */
export interface Running {
  readonly log: Logger;
  stop(limitMs?: number): Promise<void>;
}

/** Why we cannot listen, by the code of the operating system. */
const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EACCES: 'PORT may not be used by this user: set one above 1023',
  EADDRINUSE: 'PORT is taken by another program: stop that one, or set another PORT',
  EADDRNOTAVAIL: 'HOST is not an address of this machine: set one that is',
};

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault';
  const isListening = 'syscall' in error && error.syscall === 'listen' && 'code' in error;
  return (isListening ? CANNOT_LISTEN[String(error.code)] : undefined) ?? error.message;
}

/** Ends the process with 1 and says why, where the start fails. */
async function startOrExit(start: () => Promise<Running>): Promise<Running> {
  try {
    return await start();
  } catch (error) {
    process.stderr.write(`Trading Proxy cannot start:\n${explain(error)}\n`);
    process.exit(EXIT_FAILED);
  }
}

/**
 * Starts and stays until SIGINT or SIGTERM, then stops in order and exits 0; a second signal exits at once. What nobody
 * foresaw is logged and ends the process with 1 after draining for 5 s.
 */
export async function runUntilSignal(start: () => Promise<Running>): Promise<void> {
  const running = await startOrExit(start);
  let stopping = false;
  const stop = (exitCode: number, limitMs?: number): void => {
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    running.stop(limitMs).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        running.log.fatal({ err: error }, 'could not stop in order');
        process.exit(EXIT_FAILED);
      },
    );
  };
  const crash = (error: unknown): void => {
    running.log.fatal({ err: error }, 'unexpected fault: the process ends');
    stop(EXIT_FAILED, CRASH_DRAIN_MS);
  };
  process.on('SIGINT', () => {
    stop(0);
  });
  process.on('SIGTERM', () => {
    stop(0);
  });
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
