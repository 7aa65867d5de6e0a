/**
 * Searches the project on the server. Groups are added as they arrive, and a new search cancels the previous search.
 */
import { useEffect, useState } from 'react';
import type { SearchLine } from '../../../../src/pages/console/search/contract.ts';
import { openConsole } from '../../api/session.ts';

/** The search is sent to the server when the text hasn't changed for this time. */
const settleMs = 120;
const minChars = 2;

export interface ServerResults {
  readonly lines: readonly SearchLine[];
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

const nothing: ServerResults = { lines: [], isSearching: false, hasFailed: false };

export function useServerResults(search: string): ServerResults {
  const [results, setResults] = useState<ServerResults & { readonly search: string }>({
    ...nothing,
    search: '',
  });
  const wanted = search.trim();
  useEffect(() => {
    if (wanted.length < minChars) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      setResults({ ...nothing, search: wanted, isSearching: true });
      try {
        for await (const line of linesOf(wanted, controller.signal))
          setResults((previous) => ({ ...previous, lines: [...previous.lines, line] }));
        setResults((previous) => ({ ...previous, isSearching: false }));
      } catch {
        if (!controller.signal.aborted)
          setResults((previous) => ({ ...previous, isSearching: false, hasFailed: true }));
      }
    }, settleMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted]);
  if (wanted.length < minChars) return nothing;
  // Results of the previous search are omitted because they could be selected by accident.
  return results.search === wanted ? results : { ...nothing, isSearching: true };
}

async function* linesOf(search: string, signal: AbortSignal): AsyncGenerator<SearchLine> {
  const response = await openConsole('GET /search', { query: { search: search.slice(0, 200) }, signal });
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as SearchLine;
  }
}
