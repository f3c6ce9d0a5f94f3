import { connect } from 'node:net';

const LIMIT_MS = 30_000;

/** An answer as it came: the lines of its head, and the body's text. */
export interface RawAnswer {
  readonly lines: readonly string[];
  readonly body: string;
}

/** How long the answer is, as far as it is known yet; null before the end of the head. */
function lengthOf(text: string, hasBody: boolean): number | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = hasBody ? Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0) : 0;
  return end + 4 + length;
}

/** Sends bytes on a connection of their own; returns the answers, one for each item, which says whether it has a body. */
export function sendRaw(url: string, text: string, bodies: readonly boolean[]): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const answers: RawAnswer[] = [];
    let rest = '';
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    const timer = setTimeout(() => socket.destroy(new Error(`no whole answer in time: ${rest}`)), LIMIT_MS);
    const take = (): void => {
      for (;;) {
        const length = lengthOf(rest, bodies[answers.length] ?? true);
        if (length === null || rest.length < length || answers.length === bodies.length) return;
        const end = rest.indexOf('\r\n\r\n');
        answers.push({ lines: rest.slice(0, end).split('\r\n'), body: rest.slice(end + 4, length) });
        rest = rest.slice(length);
      }
    };
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('latin1');
      take();
      if (answers.length === bodies.length) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answers);
    });
  });
}
