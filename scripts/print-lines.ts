/** Prints the lines that a command of the operator returns; a fault is one line on stderr, and exit code 1. */
export async function printLines(command: () => Promise<readonly string[]>): Promise<void> {
  try {
    const lines = await command();
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'unknown fault'}\n`);
    process.exitCode = 1;
  }
}
