import { z } from 'zod';

/** First line of a backup. */
const wireHeader = z.object({
  format: z.literal('trading-proxy-backup'),
  version: z.literal(1),
  made_at: z.iso.datetime(),
  /** Names of the migrations that its tables have seen, oldest first. */
  migrations: z.array(z.string().max(200)).min(1).max(10_000),
  sequences: z.array(z.object({ name: z.string().max(63), last_value: z.string().regex(/^\d{1,19}$/) })).max(1_000),
});

/** Line in front of the rows of a table. */
const wireTable = z.object({
  table: z.string().min(1).max(63),
  columns: z.array(z.string().min(1).max(63)).min(1).max(1_600),
});

/** Last line: SHA-256 of all lines before it, in hexadecimal, and the number of rows of each table. */
const wireEnd = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rows: z.record(z.string(), z.number().int().min(0)),
});

export type BackupHeader = z.infer<typeof wireHeader>;
export type BackupTable = z.infer<typeof wireTable>;
export type BackupEnd = z.infer<typeof wireEnd>;

/** Thrown for a file that is cut off, changed, or no backup at all; nothing of it is used. */
export class BackupDamagedError extends Error {
  override readonly name = 'BackupDamagedError';

  constructor(reason: string) {
    super(`The backup cannot be used, and nothing was changed: ${reason}.`);
  }
}

function parse<T>(schema: z.ZodType<T>, line: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BackupDamagedError(`it has no ${what} where one must be`);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw new BackupDamagedError(`its ${what} is in no known form`);
  return result.data;
}

export const parseHeader = (line: string): BackupHeader => parse(wireHeader, line, 'first line');
export const parseTable = (line: string): BackupTable => parse(wireTable, line, 'line of a table');
export const parseEnd = (line: string): BackupEnd => parse(wireEnd, line, 'last line');
