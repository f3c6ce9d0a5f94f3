/** One rule of docs/rules.md: its section, the files that cite it, and its tests by file. */
export interface Rule {
  readonly rule: string;
  readonly heading: string;
  readonly section: string;
  readonly files: readonly string[];
  readonly tests: readonly { readonly file: string; readonly titles: readonly string[] }[];
}

export function readRules(): Rule[];
export function rulesIn(text: string): Set<string>;
export function rulesIndex(): string;
