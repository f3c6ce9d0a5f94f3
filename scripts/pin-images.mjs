import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes behind the tag of each base image the digest that the tag has today, so that a build takes what was tried and nothing
 * newer. Needs docker with buildx, and the registry. Run it before each release, look at the difference, build, run the tests, commit.
 */
const FILES = ['Dockerfile', 'docker-compose.yml'];
const IMAGE = /^(FROM |\s*image: )([a-z0-9./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?/gm;

function digestOf(image) {
  const asked = ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .Manifest}}'];
  const { digest } = JSON.parse(execFileSync('docker', asked, { encoding: 'utf8' }));
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image}: the registry told no digest`);
  return digest;
}

for (const file of FILES) {
  const text = readFileSync(file, 'utf8');
  const pinned = text.replaceAll(IMAGE, (_, before, image) => {
    const digest = digestOf(image);
    process.stdout.write(`${file}\t${image}\t${digest}\n`);
    return `${before}${image}@${digest}`;
  });
  writeFileSync(file, pinned);
}
