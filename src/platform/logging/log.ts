import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { currentRequest, idsOf } from './current-request.js';
import { redactNames, redactPatterns, shortened } from './redaction.js';

export interface LogOptions {
  readonly level: string;
  /** Coloured lines for people instead of JSON. */
  readonly readable: boolean;
  /** Where lines go; standard output unless a test listens. */
  readonly destination?: DestinationStream;
}

/** Class, message and stack of an error and its causes; never its other members, which may hold a request (S-40). */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: 'a value that is no error was thrown' };
  const { name, message, stack, cause } = error;
  const logged = { type: name, message: shortened(message), stack: stack && shortened(stack) };
  return cause instanceof Error && depth < 5 ? { ...logged, cause: serializeError(cause, depth + 1) } : logged;
}

/**
 * The ids of the current request, for a line of the log (contract.md 3). A line that is written after the request ended brings
 * its own.
 */
function requestIds(record: object): object {
  const request = currentRequest();
  return request === undefined || 'trace_id' in record ? {} : idsOf(request);
}

/** Where logs write, unless that is standard output in JSON. */
const outputs = new WeakMap<Logger, DestinationStream>();

/** Where a log writes; undefined where that is standard output in JSON. */
export function outputOf(log: Logger): DestinationStream | undefined {
  return outputs.get(log);
}

/** The one log of the service: a JSON line an event, redacted by name and by pattern (S-40). */
export function createLog({ level, readable, destination }: LogOptions): Logger {
  const sink = destination ?? process.stdout;
  const out = readable
    ? pretty({
        destination: sink as NodeJS.WritableStream,
        sync: true,
        translateTime: 'HH:MM:ss',
        ignore: 'pid,hostname',
      })
    : sink;
  const log = pino(
    {
      level,
      base: null,
      mixin: requestIds,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: (record) => redactNames(record) },
      serializers: { err: (error: unknown) => serializeError(error) },
    },
    { write: (line) => void out.write(redactPatterns(line)) },
  );
  if (out !== process.stdout) outputs.set(log, out);
  return log;
}
