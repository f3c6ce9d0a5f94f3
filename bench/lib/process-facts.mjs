import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second in /proc, on every machine. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, all its threads, user and system, in seconds; 0 where there is no such process. */
export function cpuSeconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** CPU time so far, in seconds, that the host of a virtual machine gave to others though a core here had work; 0 where it has none. */
export function stolenSeconds() {
  try {
    return Number(readFileSync('/proc/stat', 'latin1').split(/\s+/, 9)[8]) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Resident memory of a process in MB. */
export function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** A process and all that it started and they started, that still run. */
export function processTree(pid) {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
  } catch {
    return [];
  }
  return [
    pid,
    ...children
      .split(' ')
      .filter(Boolean)
      .flatMap((child) => processTree(Number(child))),
  ];
}
