import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { ui } from './ui.js';

interface PlaceProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** Where a link with this fragment leads, once it is there. */
export function Place({ id, children }: PlaceProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const isMeant = useLocation({ select: ({ hash }) => hash === id });
  useEffect(() => {
    if (!isMeant) return;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView();
  }, [isMeant]);
  return (
    <div ref={place} id={id} tabIndex={-1} className={ui.anchor}>
      {children}
    </div>
  );
}
