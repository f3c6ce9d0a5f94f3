/** One block of a stream of server-sent events; `retry` in milliseconds. */
export type Block = Readonly<Partial<Record<'data' | 'id' | 'retry', string>>>;

function blockOf(text: string): Block {
  const fields = text.split('\n').map((line) => /^(?<name>\w+): ?(?<value>.*)$/s.exec(line)?.groups);
  return Object.fromEntries(fields.map((field) => [field?.name, field?.value] as const)) as Block;
}

/** The blocks of an answer; `onBytes` is told of each part that came. The service writes each `data` in one line. */
export async function* blocksOf({ body }: Response, onBytes: () => void): AsyncGenerator<Block, void, undefined> {
  const decoder = new TextDecoder();
  const reader = (body ?? new Blob([]).stream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    onBytes();
    const blocks = (rest + decoder.decode(part.value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield blockOf(block);
  }
}
