/** The types of the reports that `plinth inspect` shows. */
import type { Sql } from '../../../base/kernel/sql.ts';

/**
 * The kind of value in a cell. Values of the kinds `bytes` and `ms` are numbers. A value of the kind `share` is a
 * fraction between 0 and 1.
 */
export type CellKind = 'text' | 'count' | 'bytes' | 'ms' | 'share';
export type Cell = string | number | boolean | null;

export interface Column {
  /** The name of the column in JSON output and in the query's rows. */
  readonly field: string;
  readonly label: string;
  readonly kind: CellKind;
}

export interface ReportDefinition {
  readonly about: string;
  readonly columns: readonly Column[];
  /** The query of the report. The query's rows contain the fields of {@link columns}. */
  readonly query: Sql;
  /** The name of an extension that the query reads from. */
  readonly needs?: string;
}

export interface Report {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}
