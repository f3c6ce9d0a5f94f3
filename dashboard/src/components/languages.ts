/** Those that calls are shown in. */
export const LANGUAGES = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
] as const;

export type Language = (typeof LANGUAGES)[number]['id'];
