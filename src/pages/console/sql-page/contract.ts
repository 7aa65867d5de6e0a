import { z } from 'zod';
import { json, noContent, type RouteTable, raw } from '../core/contract.ts';
import { personaText } from '../persona/contract.ts';
import type { Recorded } from '../undo/recorder.ts';

const script = z.string().min(1).max(1_000_000);
const timeoutMs = z.number().int().min(100).max(600_000).default(30_000);
/**
 * The types that a parameter can have. The value of a parameter is bound to the statement, so it is never part of the
 * SQL text.
 */
const parameterType = z.enum([
  'auto',
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'timestamp',
  'uuid',
  'json',
]);
const parameter = z.object({
  name: z.string().min(1).max(63),
  type: parameterType.default('auto'),
  value: z.string().max(1_000_000).nullable(),
});
const parameters = z.array(parameter).max(100).default([]);
const sqlText = z.object({ text: script });
const sqlRun = z.object({
  text: script,
  parameters,
  as: personaText,
  maxRows: z.number().int().min(1).max(10_000).default(1000),
  timeoutMs,
  /** Whether the operator has confirmed that destructive statements may run. */
  confirmed: z.boolean().default(false),
  /** Whether this run repeats an earlier run. A repeated run can't change anything and isn't added to the history. */
  repeated: z.boolean().default(false),
});
const sqlExplain = z.object({
  text: script,
  parameters,
  as: personaText,
  analyze: z.boolean().default(false),
  timeoutMs,
});
const sqlCell = z.object({
  text: script,
  parameters,
  as: personaText,
  row: z.number().int().min(0).max(9_999),
  column: z.number().int().min(0).max(1663),
  timeoutMs,
});
const sqlExport = z.object({
  text: script,
  parameters,
  as: personaText,
  format: z.enum(['csv', 'json']),
  /** Whether to neutralize CSV cells that a spreadsheet program would run as formulas. */
  guarded: z.boolean().default(true),
  /** The name of the file without its extension. */
  name: z.string().trim().min(1).max(100).default('query'),
});
const chart = z.object({
  kind: z.enum(['line', 'bar', 'area', 'scatter']),
  x: z.string().max(200),
  y: z.array(z.string().max(200)).max(20),
});
/** The settings of a query page: the values of the parameters, and the chart for each result, by the result's index. */
const queryView = z.object({
  parameters: z
    .array(parameter.extend({ value: z.string().max(10_000).nullable() }))
    .max(100)
    .optional(),
  charts: z.record(z.string().regex(/^\d{1,3}$/), chart).optional(),
});
const savedQuery = z.object({
  name: z.string().trim().min(1).max(200),
  folder: z.string().trim().max(100).default(''),
  isShared: z.boolean().default(false),
  text: script,
  view: queryView.default({}),
});
export const savedQueryParams = z.object({ id: z.uuid() });

export type ParameterValue = z.output<typeof parameter>;
export type ParameterType = z.output<typeof parameterType>;
export type ChartChoice = z.output<typeof chart>;
export type QueryView = z.output<typeof queryView>;

export interface RunColumn {
  readonly name: string;
  /** The name of the type as formatted by `format_type`. */
  readonly type: string;
}

/** An error or notice from PostgreSQL. */
export interface PostgresMessage {
  readonly severity: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly where?: string;
}

/** The events that are sent as lines of the response. Offsets are positions in the script, in UTF-16 code units. */
export type RunEvent =
  | { readonly event: 'run'; readonly id: string }
  | { readonly event: 'statement'; readonly index: number; readonly start: number; readonly end: number }
  | { readonly event: 'columns'; readonly columns: readonly RunColumn[] }
  | {
      readonly event: 'rows';
      readonly rows: readonly (readonly (string | null)[])[];
      /** The positions of truncated cells in these rows, as `[row, column]`. */
      readonly cut: readonly (readonly [number, number])[];
    }
  | ({ readonly event: 'notice' } & PostgresMessage)
  | {
      readonly event: 'end';
      /**
       * The command tag of the statement, such as `UPDATE 3`. Empty if the statement returned more rows than the row
       * limit allows.
       */
      readonly tag: string;
      readonly more: boolean;
      readonly ms: number;
    }
  | ({ readonly event: 'error'; readonly sqlstate: string; readonly at: number | null } & PostgresMessage)
  | {
      readonly event: 'done';
      readonly outcome: Outcome;
      readonly ms: number;
      /** The entry of the undo journal with the changes. */
      readonly undo?: Recorded;
    };

/**
 * The outcome of the changes made by the script. `ended`: the script committed or rolled back its own transactions.
 * `left open`: the script's last transaction was still open, so it was rolled back.
 */
export type Outcome = 'committed' | 'rolled back' | 'ended' | 'left open';

export type Danger =
  | 'drop'
  | 'truncate'
  | 'delete-all'
  | 'update-all'
  | 'alter-drop'
  | 'rls-off'
  /** The statement runs code whose effects can't be determined. */
  | 'unclear';

export interface Question {
  readonly danger: Danger;
  /** The text of the statement, truncated if it is long. */
  readonly statement: string;
  /** The statement's position in the script, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

export interface HistoryRow {
  id: number;
  text: string;
  persona: string;
  error: string | null;
  duration_ms: number;
  at: string;
}

export interface SavedRow {
  readonly id: string;
  readonly name: string;
  /** The folder. In the list, queries are grouped by folder. Empty if the query isn't in a folder. */
  readonly folder: string;
  readonly text: string;
  /** Whether all operators can see the query. If false, only the query's owner can see the query. */
  readonly isShared: boolean;
  readonly view: QueryView;
  /** The name of the operator who created the query. */
  readonly owner: string;
  readonly savedBy: string;
  readonly savedAt: string;
  /** Whether the operator may change or delete the query. */
  readonly mayChange: boolean;
}

export interface CompletionTable {
  schema: string;
  name: string;
  columns: string[];
}

export interface WholeCell {
  readonly value: string | null;
  /** Whether the value is longer than the returned text. */
  readonly isCut: boolean;
}

/** Names that the editor suggests while the operator types. */
export interface SqlNames {
  readonly tables: readonly Readonly<CompletionTable>[];
  readonly functions: readonly { readonly name: string; readonly detail: string }[];
}

/** A plan as returned by `explain (format json)`. */
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

/**
 * The plan for a statement in a script. Both fields are null if PostgreSQL doesn't generate plans for this kind of
 * statement.
 */
export interface StatementPlan {
  readonly start: number;
  readonly end: number;
  readonly plan: RawPlan | null;
  readonly error: (PostgresMessage & { readonly sqlstate: string; readonly at: number | null }) | null;
}

export interface Plans {
  readonly plans: readonly StatementPlan[];
}

export const contract = {
  /** Runs a script. The response is NDJSON, with one {@link RunEvent} per line. */
  'POST /sql/run': { body: sqlRun, response: raw },
  'POST /sql/look': { body: sqlRun, response: raw },
  'POST /sql/explain': { body: sqlExplain, response: json<Plans>() },
  'POST /sql/look/explain': { body: sqlExplain, response: json<Plans>() },
  'POST /sql/cell': { body: sqlCell, response: json<WholeCell>() },
  'POST /sql/look/cell': { body: sqlCell, response: json<WholeCell>() },
  /** Prepares an export, which can be downloaded once within a minute with `GET /sql/exports/:id`. */
  'POST /sql/exports': { body: sqlExport, response: json<{ readonly id: string }>() },
  'POST /sql/look/exports': { body: sqlExport, response: json<{ readonly id: string }>() },
  'GET /sql/exports/:id': { response: raw },
  /** Returns the names of the parameters in a script. */
  'POST /sql/parameters': { body: sqlText, response: json<{ readonly names: readonly string[] }>() },
  'POST /sql/runs/:id/cancel': { response: json<{ readonly cancelled: boolean }>() },
  'GET /sql/names': { response: json<SqlNames>() },
  'GET /sql/history': { response: json<{ readonly entries: readonly HistoryRow[] }>() },
  'DELETE /sql/history': { response: noContent },
  'GET /sql/saved': { response: json<{ readonly saved: readonly SavedRow[] }>() },
  'POST /sql/saved': { body: savedQuery, response: json<SavedRow>() },
  'PUT /sql/saved/:id': { body: savedQuery, response: json<SavedRow>() },
  'DELETE /sql/saved/:id': { response: noContent },
} as const satisfies RouteTable;
