import { spellingsOf } from './spellings.js';

/** Something that left the service, or that it keeps. */
export interface Place {
  /** As `log` or `answer of POST /auth/login`. */
  readonly name: string;
  readonly text: string;
}

interface Planted {
  readonly kind: string;
  readonly spellings: readonly string[];
  /** Where the contract shows it. */
  readonly isShownIn: (place: Place) => boolean;
}

const NOWHERE = (): boolean => false;

/** Secrets that were planted, and the places where they are looked for. */
export class LeakHunt {
  readonly #planted = new Map<string, Planted>();
  readonly #places: Place[] = [];

  get kinds(): string[] {
    return [...new Set([...this.#planted.values()].map(({ kind }) => kind))].sort();
  }

  /** Returns the secret. A short one could be found by chance, and is refused. */
  plant(kind: string, secret: string, isShownIn: Planted['isShownIn'] = NOWHERE): string {
    if (secret.length < 12) throw new Error(`${kind} is too short to be looked for`);
    this.#planted.set(secret, { kind, spellings: spellingsOf(secret), isShownIn });
    return secret;
  }

  note(name: string, text: string): void {
    this.#places.push({ name, text });
  }

  /** Kinds that were found where the contract shows them: a search that finds none of these finds nothing at all. */
  shown(): string[] {
    const found = [...this.#planted.values()].filter(({ isShownIn, spellings }) =>
      this.#places.some((place) => isShownIn(place) && spellings.some((spelling) => place.text.includes(spelling))),
    );
    return [...new Set(found.map(({ kind }) => kind))].sort();
  }

  /** `kind in place` of all that was found, never the secret; empty where nothing leaks. */
  findings(): string[] {
    const found = [...this.#planted.values()].flatMap(({ kind, spellings, isShownIn }) =>
      this.#places
        .filter((place) => !isShownIn(place) && spellings.some((spelling) => place.text.includes(spelling)))
        .map(({ name }) => `${kind} in ${name}`),
    );
    return [...new Set(found)].sort();
  }
}
