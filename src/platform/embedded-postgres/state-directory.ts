import { chmod, mkdir } from 'node:fs/promises';

/** Where a service that runs as root keeps what other users must reach, when its own directory is closed to them. */
const STATE_DIRECTORY = '/var/lib/trading-proxy';

/** Makes the state directory of the system and returns its path; only root can. */
export async function makeStateDirectory(): Promise<string> {
  try {
    await mkdir(STATE_DIRECTORY, { recursive: true });
    await chmod(STATE_DIRECTORY, 0o755);
    return STATE_DIRECTORY;
  } catch (cause) {
    throw new Error(
      `PostgreSQL cannot run as root, other users cannot reach this directory, and ${STATE_DIRECTORY} cannot be made: ` +
        'set DATA_DIR to a directory that others may enter, or DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}
