import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { testEnvironment } from './app.js';
import { exitOf, OwnProcesses } from './own-processes.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './sandbox.js';

/** A stand with a trader, and a command of the operator beside its service, in a process of its own. */
export class OperatorStand {
  private constructor(
    readonly stand: TestStand,
    readonly trader: Trader,
    private readonly own: OwnProcesses,
    private readonly script: string,
  ) {}

  /** `script` is the compiled file below `scripts/`. */
  static async start(script: string): Promise<OperatorStand> {
    const stand = await startTestStand({ UPSTREAM_TIMEOUT: '2s' });
    return new OperatorStand(stand, await aTrader(stand), await OwnProcesses.open(), script);
  }

  /** Runs the command on the settings of the service; returns its exit code and all that it printed. */
  async run(
    words: readonly string[],
    changes: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly code: number | null | string; readonly text: string }> {
    const { own, stand } = this;
    const given = testEnvironment({ port: own.port, dataDir: own.dataDir, database: stand.app.database });
    const settings = {
      ...given,
      ...exchangeAddresses(stand.sandbox.addresses),
      LOG_LEVEL: 'silent',
      UPSTREAM_TIMEOUT: '2s',
    };
    const started = own.run(
      `scripts/${this.script}.js`,
      { ...(settings as Record<string, string>), ...changes },
      words,
    );
    return { code: await exitOf(started), text: started.output() };
  }

  async close(): Promise<void> {
    await this.own.close();
    await this.stand.close();
  }
}
