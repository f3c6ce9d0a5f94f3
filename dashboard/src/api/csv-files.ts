import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { session } from '../session/session.js';
import type { ExchangeId } from './client.js';
import { Failure } from './failure.js';
import type { TimeSpan } from './portfolio.js';

/** Lists that the service writes as a file. */
export type FileName = 'fills' | 'settlements';

/** The list of one exchange to its end, of a time. Throws Failure; a file that breaks off is none. */
async function readFile(exchange: ExchangeId, name: FileName, span: TimeSpan): Promise<Blob> {
  const query = new URLSearchParams({ ...span }).toString();
  try {
    // It may take longer than any other answer.
    const answer = await session.send(
      new Request(`${location.origin}/${exchange}/${name}.csv${query === '' ? '' : `?${query}`}`),
      new AbortController().signal,
    );
    if (!answer.ok) throw Failure.of(await answer.json().catch(() => null), answer);
    return await answer.blob();
  } catch (error) {
    throw error instanceof Failure ? error : Failure.unreachable();
  }
}

/** Reads such files; `onRead` has each that is whole. */
export function useCsvFile(
  name: FileName,
  span: TimeSpan,
  onRead: (exchange: ExchangeId, file: Blob) => void,
): UseMutationResult<Blob, Error, ExchangeId> {
  return useMutation({
    mutationFn: (exchange) => readFile(exchange, name, span),
    onSuccess: (file, exchange) => {
      onRead(exchange, file);
    },
  });
}
