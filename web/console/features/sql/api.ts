/** The SQL page's calls: `src/console/sql-page`. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole, openConsole } from '../../api/session.ts';
import type { SqlNames } from '../../components/editor/types.ts';

export interface RunColumn {
  readonly name: string;
  readonly type: string;
}

export interface Said {
  readonly severity: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly where?: string;
}

export type RunEvent =
  | { readonly event: 'run'; readonly id: string }
  | { readonly event: 'statement'; readonly index: number; readonly start: number; readonly end: number }
  | { readonly event: 'columns'; readonly columns: readonly RunColumn[] }
  | {
      readonly event: 'rows';
      readonly rows: readonly (readonly (string | null)[])[];
      readonly cut: readonly (readonly [number, number])[];
    }
  | ({ readonly event: 'notice' } & Said)
  | { readonly event: 'end'; readonly tag: string; readonly more: boolean; readonly ms: number }
  | ({ readonly event: 'error'; readonly sqlstate: string; readonly at: number | null } & Said)
  | {
      readonly event: 'done';
      readonly outcome: 'committed' | 'rolled back' | 'ended' | 'left open';
      readonly ms: number;
    };

export type Danger = 'drop' | 'truncate' | 'delete-all' | 'update-all' | 'alter-drop' | 'rls-off' | 'unclear';

export interface Question {
  readonly danger: Danger;
  readonly statement: string;
}

export interface RunRequest {
  readonly text: string;
  readonly as: string | undefined;
  readonly maxRows: number;
  readonly timeoutMs: number;
  readonly confirmed: boolean;
}

/** The lines of the answer as they come. */
export async function* runSql(
  request: RunRequest,
  mayWrite: boolean,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const response = await openConsole(mayWrite ? '/sql/run' : '/sql/look', request, signal);
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
  callConsole(`/sql/runs/${encodeURIComponent(id)}/cancel`, { method: 'POST', body: {} });

export const explainSql = (
  body: { text: string; as: string | undefined; analyze: boolean; timeoutMs: number },
  mayWrite: boolean,
): Promise<RawPlan> =>
  callConsole<RawPlan>(mayWrite ? '/sql/explain' : '/sql/look/explain', { method: 'POST', body });

export interface CellRequest {
  /** Of the one statement. */
  readonly text: string;
  readonly as: string | undefined;
  readonly timeoutMs: number;
  readonly row: number;
  readonly column: number;
}

export const readCell = (body: CellRequest, mayWrite: boolean) =>
  callConsole<{ value: string | null; isCut: boolean }>(mayWrite ? '/sql/cell' : '/sql/look/cell', {
    method: 'POST',
    body,
  });

/** PostgreSQL's own JSON. */
export interface RawPlan {
  readonly Plan: RawNode;
  readonly 'Planning Time'?: number;
  readonly 'Execution Time'?: number;
}

export interface RawNode {
  readonly 'Node Type': string;
  readonly Plans?: readonly RawNode[];
  readonly [field: string]: unknown;
}

export const namesQuery = queryOptions({
  queryKey: ['sql-names'],
  queryFn: ({ signal }) => callConsole<SqlNames>('/sql/names', { signal }),
  staleTime: 60_000,
});

export interface HistoryEntry {
  readonly id: number;
  readonly text: string;
  readonly persona: string;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly at: string;
}

export const historyQuery = queryOptions({
  queryKey: ['sql-history'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ entries: readonly HistoryEntry[] }>('/sql/history', { signal })).entries,
});

export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly saved_by: string;
  readonly saved_at: string;
}

export const savedQuery = queryOptions({
  queryKey: ['sql-saved'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ saved: readonly SavedQuery[] }>('/sql/saved', { signal })).saved,
});
