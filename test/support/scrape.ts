/** One line of a scrape: a figure and the labels of its series. */
export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** The series of a scrape in Prometheus' text format; throws on a line that is none. */
export function seriesIn(text: string): Series[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, metric, labels = '', value] = LINE.exec(line) ?? [];
    if (metric === undefined) throw new Error(`no figure: ${line}`);
    const pairs = Array.from(labels.matchAll(LABEL), ([, name = '', given = '']) => [name, given] as const);
    return { metric, labels: Object.fromEntries(pairs), value: Number(value?.replace('Inf', 'Infinity')) };
  });
}

/** The series of a metric that have all of these labels. */
export function selectedFrom(
  all: readonly Series[],
  metric: string,
  labels: Readonly<Record<string, string>> = {},
): Series[] {
  const wanted = Object.entries(labels);
  return all.filter((each) => each.metric === metric && wanted.every(([name, value]) => each.labels[name] === value));
}

/** The sum of those series; NaN where there is none, which is not the same as 0. */
export function sumOf(all: readonly Series[], metric: string, labels: Readonly<Record<string, string>> = {}): number {
  const selected = selectedFrom(all, metric, labels);
  return selected.length === 0 ? NaN : selected.reduce((sum, { value }) => sum + value, 0);
}
