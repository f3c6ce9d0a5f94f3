/** Most bytes of the result of a call: text and structured content, and some hundred for what is around them. */
const MOST_BYTES = 19_200;

/** Bytes of an answer as a result has it: once as structured content and once as text inside JSON. */
function sizeOf(answer: object): number {
  const text = JSON.stringify(answer);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

function listsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(listsIn);
  return Array.isArray(value) ? [value as unknown[], ...inner] : inner;
}

/** Cuts the longest lists of an answer to whole entries until it fits; returns whether it had to. Throws where it has no lists. */
export function cutToFit(answer: object): boolean {
  let isCut = false;
  for (let size = sizeOf(answer); size > MOST_BYTES; size = sizeOf(answer)) {
    const lists = listsIn(answer);
    const most = Math.max(0, ...lists.map(({ length }) => length));
    const longest = lists.find(({ length }) => length === most);
    if (longest === undefined || most === 0) throw new Error('an answer for an agent does not fit');
    longest.length = Math.min(most - 1, Math.floor((most * MOST_BYTES) / size));
    isCut = true;
  }
  return isCut;
}
