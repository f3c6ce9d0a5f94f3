import { testMakers } from './test-clients/makers.mjs';
import { testPython } from './test-clients/python.mjs';
import { testDocument } from './test-clients/tester.mjs';
import { testTypescript } from './test-clients/typescript.mjs';

/**
 * `npm run test:clients`: both clients as they are installed, the cases that both are held to, their examples, and the document
 * against a tester that reads it.
 */
const lines = [];

/** Runs one step, and says how it went and how long it took. */
async function step(name, work) {
  const begun = performance.now();
  const say = (words) => lines.push(`${name}: ${words} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  try {
    say((await work()) || 'passed');
  } catch (error) {
    say('FAILED');
    throw error;
  } finally {
    console.log(lines.at(-1));
  }
}

const begun = performance.now();
try {
  // Beside each other: the cases of clients wait more than they work.
  const halves = await Promise.allSettled([testTypescript(step), testPython(step, testDocument)]);
  const [, hasPython] = halves.map(({ status, value, reason }) => {
    if (status === 'rejected') throw reason;
    return value;
  });
  await testMakers(step, hasPython);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
const seconds = ((performance.now() - begun) / 1000).toFixed(0);
console.log(
  `\nClients, ${seconds} s, ${process.exitCode ? 'FAILED' : 'passed'}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
);
