import { appendFileSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into the service's process by `--import`: writes every STEADINESS_EVERY_MS one line to STEADINESS_FILE with the memory in
 * use after a collection, what the process holds of the machine's, the open files and sockets, and the 99th percentile of the event loop's delay since the line before.
 */
const { STEADINESS_FILE: file, STEADINESS_EVERY_MS: everyMs } = process.env;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const RESOLUTION_MS = 10;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

setInterval(() => {
  // What the timer itself waits between two looks is no delay.
  const loopP99Ms = Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS);
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = readdirSync('/proc/self/fd').length;
  appendFileSync(file, `${JSON.stringify({ heapBytes: heapUsed + external, rssBytes: rss, handles, loopP99Ms })}\n`);
  // The collection of this probe is no delay of the service.
  delays.reset();
}, Number(everyMs)).unref();
