import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApiKey, useCredentials, useNewKey } from '../api/queries.js';
import { installation } from '../installation.js';
import { InLanguages } from './in-languages.js';
import type { Language } from './languages.js';
import { useStoredExchanges } from './portfolio/with-exchanges.js';
import { CopyButton, ui } from './ui.js';

interface KnownKey {
  /** Null where there is no key yet. */
  readonly prefix: string | null;
  /** The whole key, where it was made in this tab: it is copied, not shown. */
  readonly wholeKey: string | null;
}

function useKnownKey(): KnownKey {
  const prefix = useApiKey().data?.prefix ?? null;
  const created = useNewKey();
  return { prefix, wholeKey: created !== null && created.prefix === prefix ? created.key : null };
}

function lines(language: Language, url: string, key: string): string {
  const texts: Readonly<Record<Language, string>> = {
    curl: `curl -s '${url}' -H 'Authorization: Bearer ${key}'`,
    typescript: [
      `const answer = await fetch('${url}', {`,
      `  headers: { Authorization: 'Bearer ${key}' },`,
      '});',
      'console.log(await answer.json());',
    ].join('\n'),
    python: [
      'import json, urllib.request',
      '',
      `request = urllib.request.Request('${url}',`,
      `    headers={'Authorization': 'Bearer ${key}'})`,
      'print(json.load(urllib.request.urlopen(request)))',
    ].join('\n'),
  };
  return texts[language];
}

function noteOf({ wholeKey }: KnownKey): string {
  if (wholeKey !== null) return 'Only the beginning of your key is shown; what you copy holds all of it.';
  return 'Only the beginning of your key is known here: put the rest in its place.';
}

/** The first call that can succeed as things are. */
function useFirstPath(): string {
  const scopes = useApiKey().data?.scopes ?? [];
  const [ready] = useStoredExchanges(useCredentials().data);
  if (scopes.some((scope) => scope !== 'read') && ready !== undefined) return `/${ready.id}/balance`;
  return `/${installation.exchanges[0]?.id ?? ''}/markets?limit=1`;
}

interface FirstCallProps {
  /** Left out for one that can succeed as things are. */
  readonly path?: string;
}

/** A first call that works when pasted, with the real address. */
export function FirstCall({ path }: FirstCallProps): ReactNode {
  const known = useKnownKey();
  const firstPath = useFirstPath();
  const { prefix, wholeKey } = known;
  const url = installation.public_url + (path ?? firstPath);
  const shown = prefix === null ? '(your key)' : `${prefix}…`;
  return (
    <InLanguages label="Language" lines={(language) => lines(language, url, shown)}>
      {(language, name) =>
        prefix === null ? (
          <Link to="/api-key">Create a key first</Link>
        ) : (
          <>
            <CopyButton text={lines(language, url, wholeKey ?? shown)} what={`the ${name} lines`} />
            <span className={ui.hint}>{noteOf(known)}</span>
          </>
        )
      }
    </InLanguages>
  );
}
