import type { SettingTable } from './setting.js';

function lineOf(name: string, fallback: string | undefined): string {
  return fallback === undefined ? `# ${name}=` : `# ${name}=${/[ <>]/.test(fallback) ? `"${fallback}"` : fallback}`;
}

/** The text of `.env.example`: every setting with its meaning, what is expected and its default. */
export function envExample(...tables: readonly SettingTable[]): string {
  const head = [
    '# Settings of Trading Proxy. Copy to .env and uncomment what you change; what is commented out has this default.',
    '# Any of them may be read from a file instead: NAME_FILE=/path.',
    '',
  ];
  const blocks = tables
    .flatMap((table) => Object.entries(table))
    .flatMap(([name, { description, expected, fallback }]) => [
      `# ${description} (${expected})`,
      lineOf(name, fallback),
      '',
    ]);
  return [...head, ...blocks].join('\n');
}
