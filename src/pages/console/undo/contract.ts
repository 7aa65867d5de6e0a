/** The journal of row changes made in the Console, and taking them back. */
import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';

const list = z.object({
  operator: z.string().max(200).optional(),
  action: z.string().max(100).optional(),
  /** The table as `schema.name`. */
  table: z.string().max(200).optional(),
  /** The ID of the last entry on the previous page. */
  before: z.coerce.number<number>().int().min(1).optional(),
});

const detail = z.object({ offset: z.coerce.number<number>().int().min(0).max(10_000).default(0) });

const takeBack = z
  .object({
    /** The numbers of the rows. Without them, the whole entry is taken back. */
    rows: z.array(z.number().int().min(0)).min(1).max(10_000).optional(),
    /** The numbers of the rows that are taken back although they have changed since. */
    anyway: z.array(z.number().int().min(0)).max(10_000).default([]),
  })
  .strict();

/** Why the changes of a table aren't in the journal. */
export type MissingReason =
  /** Rows of the table can contain secrets, or the table belongs to a service. */
  | 'excluded'
  /** Too many rows or bytes changed, or the table is too large to be searched. */
  | 'too-large'
  /** Other sessions changed the table at the same time, or a policy hides changed rows from the persona. */
  | 'unclear'
  /** The rows couldn't be read, for example because the transaction locks the table or it took too long. */
  | 'failed';

export interface JournalTable {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  readonly reason: MissingReason | null;
}

export interface JournalEntry {
  readonly id: number;
  readonly at: string;
  readonly operator: string;
  readonly action: string;
  readonly undoes: number | null;
  /** The entries that took this one back, at least in part. */
  readonly undoneBy: readonly number[];
  readonly tables: readonly JournalTable[];
}

/**
 * `ready`: the row is as the change left it. `done`: the row is as before the change. The other states are conflicts: the
 * row was `changed` or deleted (`missing`) since, a row with its key was inserted (`exists`), or the table has no key, so
 * that equal rows can't be told apart (`unknown`). With `no-table`, the table no longer exists.
 */
export type RowState = 'ready' | 'done' | 'changed' | 'missing' | 'exists' | 'unknown' | 'no-table';

/** The texts of a row, of which long ones are truncated. */
type Values = readonly (string | null)[];

export interface JournalRow {
  readonly number: number;
  /** The index of the row's table in {@link JournalDetail.tables}. */
  readonly table: number;
  readonly before: Values | null;
  readonly after: Values | null;
  /** The values of the journaled columns that still exist, if the current row differs from both. */
  readonly now: Values | null;
  readonly state: RowState;
}

export interface JournalDetail extends JournalEntry {
  readonly details: readonly {
    readonly columns: readonly string[];
    /** The columns of {@link JournalRow.now}. */
    readonly current: readonly string[];
    readonly key: readonly string[];
  }[];
  readonly rows: readonly JournalRow[];
  readonly total: number;
}

export interface TakenBack {
  readonly undone: number;
  readonly conflicts: number;
  /** The entry with the changes that took the rows back. Null if nothing changed. */
  readonly entry: number | null;
}

export const contract = {
  'GET /undo': {
    query: list,
    response: json<{
      readonly entries: readonly JournalEntry[];
      readonly more: boolean;
      /** Whether the project has a journal. Plinth creates no tables in a database of the hosted service. */
      readonly isKept: boolean;
      readonly days: number;
    }>(),
  },
  'GET /undo/facets': {
    response: json<{
      readonly operators: readonly string[];
      readonly actions: readonly string[];
      readonly tables: readonly string[];
    }>(),
  },
  'GET /undo/:id': { query: detail, response: json<JournalDetail>() },
  'POST /undo/:id': { body: takeBack, response: json<TakenBack>() },
} as const satisfies RouteTable;
