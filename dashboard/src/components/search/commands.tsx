import type { ReactNode } from 'react';
import { isLiving, useBots } from '../../api/bots.js';
import { THEMES, type Theme } from '../../design/theme.js';
import { useCanStop } from '../bots/stop-all.js';
import { plainText } from '../foreign-text.js';
import { PAGES, type PagePath } from '../pages.js';
import { ui } from '../ui.js';
import css from './search.module.css';

/** What the box does besides finding. */
export type Command = { readonly kind: 'command'; readonly label: string } & (
  | { readonly does: 'page'; readonly to: PagePath; readonly key: string | null }
  | { readonly does: 'bot'; readonly id: string }
  | { readonly does: 'stop' }
  | { readonly does: 'theme'; readonly theme: Theme }
);

/** All commands there are now. */
export function useCommands(): readonly Command[] {
  const { data: bots = [] } = useBots();
  const canStop = useCanStop();
  return [
    ...PAGES.map(({ to, label, key }) => ({ kind: 'command', does: 'page', to, key, label }) as const),
    ...(canStop ? [{ kind: 'command', does: 'stop', label: 'Stop all bots' } as const] : []),
    ...THEMES.map(([theme, name]) => ({ kind: 'command', does: 'theme', theme, label: `Colours: ${name}` }) as const),
    ...bots
      .filter(isLiving)
      .map(({ id, name }) => ({ kind: 'command', does: 'bot', id, label: `Bot ${plainText(name, 60)}` }) as const),
  ];
}

/** Those of which each word of the text begins one; all for no text. */
export function commandsFor(text: string, commands: readonly Command[]): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  return commands.filter(({ label }) => {
    const own = label.toLowerCase().split(/[\s:]+/);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
}

export function CommandLine({ command }: { readonly command: Command }): ReactNode {
  const key = command.does === 'page' ? command.key : null;
  return (
    <span className={css.command}>
      <bdi>{command.label}</bdi>
      <span className={ui.hint}>
        {key === null ? null : (
          <>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </>
        )}
      </span>
    </span>
  );
}
