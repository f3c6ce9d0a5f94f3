import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { session } from '../session/session.js';
import type { ExchangeId } from './client.js';
import { Failure } from './failure.js';

/** Lists that the service writes as a file. */
export type FileName = 'fills' | 'settlements';

/** The whole list of one exchange, oldest pages too. Throws Failure; a file that breaks off is none. */
async function readFile(exchange: ExchangeId, name: FileName): Promise<Blob> {
  try {
    // It may take longer than any other answer.
    const answer = await session.send(
      new Request(`${location.origin}/${exchange}/${name}.csv`),
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
  onRead: (exchange: ExchangeId, file: Blob) => void,
): UseMutationResult<Blob, Error, ExchangeId> {
  return useMutation({
    mutationFn: (exchange) => readFile(exchange, name),
    onSuccess: (file, exchange) => {
      onRead(exchange, file);
    },
  });
}
