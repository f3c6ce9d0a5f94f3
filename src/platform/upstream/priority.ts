/** The priorities of calls, highest first. */
export const PRIORITIES = ['cancel', 'order', 'read', 'background'] as const;
export type Priority = (typeof PRIORITIES)[number];
