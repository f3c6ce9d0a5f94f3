import { testTypescript } from './test-clients/typescript.mjs';

/** `npm run test:clients`: both clients as they are installed, the cases that both are held to, and their examples against the demo. */
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
for (const half of [testTypescript]) {
  await half(step).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
const seconds = ((performance.now() - begun) / 1000).toFixed(0);
console.log(
  `\nClients, ${seconds} s, ${process.exitCode ? 'FAILED' : 'passed'}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
);
