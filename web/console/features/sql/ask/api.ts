import { queryOptions } from '@tanstack/react-query';
import type { AskEvent } from '../../../../../src/pages/console/ask/contract.ts';
import type { Body } from '../../../api/route.ts';
import { fetchConsole, openConsole } from '../../../api/session.ts';

export type { AskEvent, AskStatus } from '../../../../../src/pages/console/ask/contract.ts';

export type Question = Body<'POST /ask'>;

export const askQuery = queryOptions({
  queryKey: ['ask'],
  queryFn: ({ signal }) => fetchConsole('GET /ask', { signal }),
  staleTime: 60_000,
});

export const previewQuery = (question: Question) =>
  queryOptions({
    queryKey: ['ask-preview', question],
    queryFn: async ({ signal }) =>
      (await fetchConsole('POST /ask/preview', { body: question, signal })).messages,
    gcTime: 0,
  });

/** Sends a question and yields the events of the answer as they arrive. */
export async function* ask(question: Question, signal: AbortSignal): AsyncGenerator<AskEvent> {
  const response = await openConsole('POST /ask', { body: question, signal });
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as AskEvent;
  }
}
