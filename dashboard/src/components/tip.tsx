import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useState } from 'react';
import { createPortal } from 'react-dom';
import { ui } from './ui.js';

/** From the edges of the window, in pixels. */
const MARGIN = 8;

interface Point {
  readonly bottom: number;
  readonly left: number;
}

/** Handlers that show a text above an element while it has the focus, is touched or is pointed at; Esc puts it away. */
export function useTip(text: string): readonly [handlers: HTMLAttributes<Element>, tip: ReactNode] {
  const [at, setAt] = useState<Point | null>(null);
  const open = ({ currentTarget }: { readonly currentTarget: Element }): void => {
    const { top, left } = currentTarget.getBoundingClientRect();
    setAt({ bottom: innerHeight - top + 4, left: Math.max(MARGIN, left) });
  };
  const close = (): void => {
    setAt(null);
  };
  const handlers = {
    tabIndex: 0,
    'aria-description': text,
    onFocus: open,
    onClick: open,
    onPointerEnter: open,
    onBlur: close,
    onPointerLeave: close,
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close();
    },
  };
  const tip =
    at === null
      ? null
      : createPortal(
          <span
            className={ui.tip}
            aria-hidden="true"
            style={{ bottom: at.bottom, insetInlineStart: `min(${at.left}px, 100vw - 260px)` }}
          >
            {text}
          </span>,
          document.body,
        );
  return [handlers, tip];
}
