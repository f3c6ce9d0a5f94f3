import type { ComponentType, ReactNode } from 'react';
import { silence } from './service.js';

/** A page whose script did not come. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

interface Part {
  (): ReactNode;
  readonly preload: () => Promise<void>;
}

/** What loads each. */
const loads: (() => Promise<void>)[] = [];

/** Loads a script too that is no page, once there is time. */
export function alsoLoad(load: () => Promise<void>): void {
  loads.push(load);
}

/** A page that is loaded when it is first needed, or when there is time. */
export function part<K extends string>(load: () => Promise<Record<K, ComponentType>>, name: K): Part {
  let Page: ComponentType | undefined;
  const preload = async (): Promise<void> => {
    if (Page !== undefined) return;
    try {
      Page = (await silence.over(load()))[name];
    } catch (cause) {
      throw new PartMissing('A part of the dashboard could not be loaded.', { cause });
    }
  };
  const show = (): ReactNode => {
    if (Page === undefined) throw new PartMissing('A part of the dashboard is not loaded.');
    return <Page />;
  };
  alsoLoad(preload);
  return Object.assign(show, { preload });
}

/** Loads all of them, one after the other, so that they open also while the service is away; gives up where one does not come. */
export async function loadAllParts(): Promise<void> {
  for (const load of loads) await load();
}
