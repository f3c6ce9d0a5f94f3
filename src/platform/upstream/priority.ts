/** What goes before what: taking orders out, then sending them, then reading. */
export const PRIORITIES = ['cancel', 'order', 'read'] as const;
export type Priority = (typeof PRIORITIES)[number];
