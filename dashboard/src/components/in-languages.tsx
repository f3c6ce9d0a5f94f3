import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { type Language, LANGUAGES } from './languages.js';
import { ui } from './ui.js';

interface InLanguagesProps {
  readonly label: string;
  /** The lines as they are shown. */
  readonly lines: (language: Language) => string;
  /** What stands under them, by the language and its name. */
  readonly children: (language: Language, name: string) => ReactNode;
}

/** The same call in each language, one at a time. */
export function InLanguages({ label, lines, children }: InLanguagesProps): ReactNode {
  return (
    <Tabs.Root defaultValue="curl" className={ui.stack}>
      <Tabs.List className={ui.tabs} aria-label={label}>
        {LANGUAGES.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} className={ui.tab}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map(({ id, name }) => (
        <Tabs.Panel key={id} value={id} className={ui.stack}>
          <pre className={ui.code}>{lines(id)}</pre>
          <div className={ui.row}>{children(id, name)}</div>
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
