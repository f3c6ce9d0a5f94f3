import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../src/platform/config/environment.js';

const PROBE = pathToFileURL(join(import.meta.dirname, '..', 'chaos', 'steadiness-probe.mjs'));

/** What the probe writes: memory in use after a collection, memory of the process, open files and sockets, delay of the event loop. */
export interface Sample {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly handles: number;
  readonly loopP99Ms: number;
}

const fileIn = (dataDir: string): string => join(dataDir, 'steadiness.jsonl');

/** With these settings the probe runs in the service's process, which knows nothing of it. */
export function probed(dataDir: string, everyMs: number): Environment {
  return {
    NODE_OPTIONS: `--import=${PROBE.href}`,
    STEADINESS_FILE: fileIn(dataDir),
    STEADINESS_EVERY_MS: String(everyMs),
  };
}

/** All that the probe has written, oldest first. */
export async function samplesIn(dataDir: string): Promise<Sample[]> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Sample);
}

/** Of each figure the one in the middle. */
export function middle(samples: readonly Sample[]): Sample {
  const median = (of: (sample: Sample) => number): number =>
    samples.map(of).sort((one, other) => one - other)[Math.floor(samples.length / 2)] ?? Number.NaN;
  return {
    heapBytes: median(({ heapBytes }) => heapBytes),
    rssBytes: median(({ rssBytes }) => rssBytes),
    handles: median(({ handles }) => handles),
    loopP99Ms: median(({ loopP99Ms }) => loopP99Ms),
  };
}
