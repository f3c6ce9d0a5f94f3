import type { ReactNode } from 'react';

const MARKED = /(`[^`]+`|\*\*[^*]+\*\*)/;

/** A text of the service, in which a `word` is code and a **word** is strong. */
export function Marked({ text }: { readonly text: string }): ReactNode {
  return text.split(MARKED).map((part, index) => {
    if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
    return part;
  });
}
