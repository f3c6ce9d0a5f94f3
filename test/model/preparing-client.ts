import pg from 'pg';

const statementNames = new Map<string, string>();

/** Prepares each statement once: the same few run tens of thousands of times, and to plan them takes longer than to run them. */
export class PreparingClient extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super(options);
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((text: unknown, values: unknown, ...rest: unknown[]) => {
      if (typeof text !== 'string' || !Array.isArray(values)) return query(text, values, ...rest);
      const name = statementNames.get(text) ?? `s${statementNames.size}`;
      statementNames.set(text, name);
      return query({ name, text, values }, ...rest);
    }) as pg.Client['query'];
  }
}
