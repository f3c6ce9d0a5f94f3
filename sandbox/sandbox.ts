import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlServer } from './control/server.js';
import { kalshiControls } from './kalshi/control.js';
import { KalshiSandbox } from './kalshi/sandbox.js';
import { polymarketControls } from './polymarket/control.js';
import { startMoves } from './moves/moves.js';
import { PolymarketSandbox } from './polymarket/sandbox.js';
import { StreamFaults } from './streams/faults.js';
import { FaultList } from './wire/faults.js';
import { RequestLog } from './wire/request-log.js';

interface SandboxOptions {
  /** Where `sandbox.json` goes; nothing is written when left out. Created where it is missing. */
  dataDir?: string;
  /** The clock of the exchanges; the host's when left out. */
  clock?: () => Date;
  /** A made-up trader moves the markets every second; they stand still when left out. */
  moves?: boolean;
  /** A thousand further markets at each exchange, some of which open and close by the clock; none when left out. */
  many?: boolean;
}

/** The content of `sandbox.json` (contract.md 7). */
export interface SandboxAddresses {
  control_url: string;
  kalshi: KalshiSandbox['account'] & { keys: KalshiSandbox['keys'] };
  polymarket: PolymarketSandbox['account'];
}

/** Both exchanges and their control server, on loopback ports of their own, with accounts and keys made for this start. */
export interface Sandbox {
  readonly controlUrl: string;
  readonly kalshi: KalshiSandbox;
  readonly polymarket: PolymarketSandbox;
  readonly faults: FaultList;
  readonly streamFaults: StreamFaults;
  readonly log: RequestLog;
  readonly addresses: SandboxAddresses;
  close(): Promise<void>;
}

/** Starts the sandbox; where one part cannot start, the others are stopped again. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const faults = new FaultList();
  const log = new RequestLog();
  const streamFaults = new StreamFaults();
  const wiring = { faults, streamFaults, log, clock: options.clock ?? (() => new Date()), many: options.many === true };
  const started: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((part) => part.close()));
  };
  try {
    const kalshi = keep(started, await KalshiSandbox.start(wiring));
    const polymarket = keep(started, await PolymarketSandbox.start(wiring));
    const controls = { ...kalshiControls(kalshi), ...polymarketControls(polymarket) };
    const controlUrl = await keep(started, new ControlServer({ faults, streamFaults, log }, controls)).listen();
    const addresses = {
      control_url: controlUrl,
      kalshi: { ...kalshi.account, keys: kalshi.keys },
      polymarket: polymarket.account,
    };
    if (options.moves === true) keep(started, startMoves([kalshi.mover(), polymarket.mover()]));
    if (options.dataDir !== undefined) await writeAddresses(options.dataDir, addresses);
    return { controlUrl, kalshi, polymarket, faults, streamFaults, log, addresses, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function keep<T extends { close(): Promise<void> }>(started: { close(): Promise<void> }[], part: T): T {
  started.push(part);
  return part;
}

/** Readable by the owner alone and never half written: it holds the keys of the sandbox accounts. */
export async function writeAddresses(dataDir: string, addresses: SandboxAddresses): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = join(dataDir, `.sandbox.${randomUUID()}.json`);
  await writeFile(temporary, `${JSON.stringify(addresses, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, join(dataDir, 'sandbox.json'));
}
