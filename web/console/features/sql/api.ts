/** Calls the API for the SQL page (`src/pages/console/sql-page`). */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Plans, RunEvent } from '../../../../src/pages/console/sql-page/contract.ts';
import { type Body, consoleUrl } from '../../api/route.ts';
import { fetchConsole, openConsole } from '../../api/session.ts';

export type {
  ChartChoice,
  Danger,
  HistoryRow as HistoryEntry,
  ParameterType,
  ParameterValue,
  PostgresMessage,
  QueryView,
  Question,
  RawNode,
  RawPlan,
  RunColumn,
  RunEvent,
  SavedRow as SavedQuery,
  StatementPlan,
} from '../../../../src/pages/console/sql-page/contract.ts';

export type RunRequest = Body<'POST /sql/run'>;

/** Runs statements and yields the events of the response as they arrive. */
export async function* runSql(
  request: RunRequest,
  mayWrite: boolean,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const response = await openConsole(mayWrite ? 'POST /sql/run' : 'POST /sql/look', {
    body: request,
    signal,
  });
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as RunEvent;
  }
}

export const cancelRun = (id: string): Promise<unknown> =>
  fetchConsole('POST /sql/runs/:id/cancel', { params: { id } });

export const explainSql = (body: Body<'POST /sql/explain'>, mayWrite: boolean): Promise<Plans> =>
  fetchConsole(mayWrite ? 'POST /sql/explain' : 'POST /sql/look/explain', { body });

export type ExportRequest = Body<'POST /sql/exports'>;

/** Prepares a file with the complete result and downloads it. */
export async function downloadResult(body: ExportRequest, mayWrite: boolean): Promise<void> {
  const { id } = await fetchConsole(mayWrite ? 'POST /sql/exports' : 'POST /sql/look/exports', { body });
  const link = document.createElement('a');
  link.href = consoleUrl('GET /sql/exports/:id', { params: { id } });
  link.download = '';
  link.click();
}

/** Uses the server's own parser to find the parameters in the editor's text. */
export const parametersQuery = (text: string) =>
  queryOptions({
    queryKey: ['sql-parameters', text],
    queryFn: async ({ signal }) =>
      (await fetchConsole('POST /sql/parameters', { body: { text }, signal })).names,
    enabled: /[$:]\w/.test(text),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

export type CellRequest = Body<'POST /sql/cell'>;

export const readCell = (body: CellRequest, mayWrite: boolean) =>
  fetchConsole(mayWrite ? 'POST /sql/cell' : 'POST /sql/look/cell', { body });

export const historyQuery = queryOptions({
  queryKey: ['sql-history'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /sql/history', { signal })).entries,
});

export const savedQuery = queryOptions({
  queryKey: ['sql-saved'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /sql/saved', { signal })).saved,
});
