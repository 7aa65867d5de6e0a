/** Builds the result of a run from the lines of the response as they arrive. */
import type { PostgresMessage, RunColumn, RunEvent } from './api.ts';

export interface StatementResult {
  readonly start: number;
  readonly end: number;
  readonly columns: readonly RunColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The positions of truncated cells, in the form `row:column`. */
  readonly cut: ReadonlySet<string>;
  readonly notices: readonly PostgresMessage[];
  readonly tag: string | undefined;
  readonly more: boolean;
  readonly ms: number | undefined;
  readonly error: (PostgresMessage & { readonly sqlstate: string; readonly at: number | null }) | undefined;
}

export interface RunOutcome {
  readonly id: string | undefined;
  readonly statements: readonly StatementResult[];
  readonly outcome: 'committed' | 'rolled back' | 'ended' | 'left open' | undefined;
  readonly ms: number | undefined;
  /** The entry of the undo journal with the changes. */
  readonly undo: { readonly id: number; readonly isPartial: boolean } | undefined;
  /** An error that doesn't belong to a single statement. */
  readonly error: StatementResult['error'];
}

export const emptyOutcome: RunOutcome = {
  id: undefined,
  statements: [],
  outcome: undefined,
  ms: undefined,
  undo: undefined,
  error: undefined,
};

/** Returns the result after an event. `offset` is the position of the sent text in the editor. */
export function withEvent(run: RunOutcome, event: RunEvent, offset: number): RunOutcome {
  const change = (part: Partial<StatementResult>): RunOutcome => {
    const last = run.statements.at(-1);
    return last === undefined
      ? run
      : { ...run, statements: [...run.statements.slice(0, -1), { ...last, ...part }] };
  };
  const last = run.statements.at(-1);
  switch (event.event) {
    case 'run':
      return { ...run, id: event.id };
    case 'statement':
      return {
        ...run,
        statements: [
          ...run.statements,
          {
            start: event.start + offset,
            end: event.end + offset,
            columns: [],
            rows: [],
            cut: new Set(),
            notices: [],
            tag: undefined,
            more: false,
            ms: undefined,
            error: undefined,
          },
        ],
      };
    case 'columns':
      return change({ columns: event.columns });
    case 'rows': {
      const before = last?.rows.length ?? 0;
      const cut = event.cut.map(([row, column]) => `${row + before}:${column}`);
      return change({
        rows: [...(last?.rows ?? []), ...event.rows],
        cut: cut.length === 0 ? (last?.cut ?? new Set()) : new Set([...(last?.cut ?? []), ...cut]),
      });
    }
    case 'notice':
      return change({ notices: [...(last?.notices ?? []), event] });
    case 'end':
      return change({ tag: event.tag, more: event.more, ms: event.ms });
    case 'error': {
      const error = { ...event, at: event.at === null ? null : event.at + offset };
      return last === undefined || last.ms !== undefined ? { ...run, error } : change({ error });
    }
    case 'done':
      return { ...run, outcome: event.outcome, ms: event.ms, undo: event.undo };
  }
}
