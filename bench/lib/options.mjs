import { parseArgs } from 'node:util';

const USAGE = `npm run bench -- [options]
  --cases A,B        only these cases, or their beginnings: me, orderbook, markets, order, ...
  --subjects A,B     only these: ours, before, node, hpm, nest, auth, undici, nginx
  --ours DIST        the build to measure (default: this checkout's, which is built first)
  --before DIST      another build to measure beside it
  --rounds N         interleaved rounds (default 5, with --quick 3)
  --seconds S        length of one measurement (default 1.2, with --quick 0.5)
  --warm-up S        before the first round of a subject's case (default 3, with --quick 1)
  --connections N    in place of each case's own number
  --node PATH        another Node for all servers
  --memory-seconds S length of the memory run (default 20, with --quick 5; 600 for the goal)
  --quick            within three minutes, for a first look: fewer subjects and cases, short rounds
  --json FILE        writes everything measured
  --markdown FILE    writes the tables between the markers of that page`;

const number = (text, name) => {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
};
const words = (text) => text?.split(',').filter(Boolean);

/** The command line as an object; ends the process where it asks for help or cannot be read. */
export function readOptions(args) {
  const text = { type: 'string' };
  const { values } = parseArgs({
    args,
    options: {
      cases: text,
      subjects: text,
      ours: text,
      before: text,
      rounds: text,
      seconds: text,
      'warm-up': text,
      connections: text,
      node: text,
      'memory-seconds': text,
      json: text,
      markdown: text,
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  const pick = (name, full, quick) => number(values[name] ?? (values.quick ? quick : full), name);
  return {
    cases: words(values.cases),
    subjects: words(values.subjects),
    ours: values.ours,
    before: values.before,
    rounds: pick('rounds', 5, 3),
    measureMs: pick('seconds', 1.2, 0.5) * 1_000,
    warmUpMs: pick('warm-up', 3, 1) * 1_000,
    memorySeconds: pick('memory-seconds', 20, 5),
    connections: values.connections && number(values.connections, 'connections'),
    node: values.node ?? process.execPath,
    quick: values.quick,
    json: values.json,
    markdown: values.markdown,
  };
}
