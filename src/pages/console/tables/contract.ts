import { z } from 'zod';
import { json, type RouteTable, raw } from '../core/contract.ts';
import { asPersona, personaText } from '../persona/contract.ts';
import type { Recorded } from '../undo/recorder.ts';

const filterOperators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'contains',
  'is_null',
  'not_null',
] as const;
const maxEdits = 5000;
const maxKeys = 5000;

const cell = z.union([
  z.object({ value: z.string().nullable() }).strict(),
  z.object({ default: z.literal(true) }).strict(),
]);

/**
 * Parses an object that has column names as its keys. The result has no prototype, and `z.record` isn't used because it
 * drops the key `__proto__`, which can be a column name.
 */
const byColumn = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .custom<Readonly<Record<string, z.input<Schema>>>>(
      (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
      { message: "isn't an object" },
    )
    .transform((given, context) => {
      const parsed = Object.create(null) as Record<string, z.output<Schema>>;
      for (const [name, value] of Object.entries(given)) {
        const result = schema.safeParse(value);
        if (result.success) parsed[name] = result.data;
        else context.addIssue({ code: 'custom', message: 'is invalid', path: [name] });
      }
      return parsed;
    });

const cells = byColumn(cell);
const texts = byColumn(z.string().nullable());
const key = byColumn(z.string());
const filters = z
  .array(
    z.object({
      column: z.string(),
      operator: z.enum(filterOperators),
      value: z.string().default(''),
    }),
  )
  .max(20);
const sort = z.array(z.object({ column: z.string(), ascending: z.boolean() })).max(10);
const cursor = z.array(z.string().nullable()).max(50);

/** A query parameter whose value is JSON. */
const jsonText = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: "isn't valid JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** The maximum length of a snapshot as text. For each running transaction, the snapshot contains a number. */
const maxSnapshotChars = 20_000;
const snapshot = z.object({ after: z.string().max(maxSnapshotChars).optional() });

/** `as` is the persona, which is parsed by `access.ts`. */
const view = { as: personaText, filters: jsonText(filters).default([]), sort: jsonText(sort).default([]) };

const page = z
  .object({
    ...view,
    limit: z.coerce.number<number>().int().min(1).max(500).default(100),
    offset: z.coerce.number<number>().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
    after: jsonText(cursor).optional(),
    before: jsonText(cursor).optional(),
    whole: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    message: "after and before can't be combined",
  });
const referenceSearch = z.object({
  as: personaText,
  search: z.string().max(200).default(''),
  /** Whether to return only the row whose key is equal to the text. */
  exact: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});
const count = z.object({ as: personaText, filters: jsonText(filters).default([]) });
const rowKey = z.object({ as: personaText, key: jsonText(key) });
const rowEdits = z
  .object({
    edits: z
      .array(z.object({ key, changes: cells, seen: texts.optional() }).strict())
      .min(1)
      .max(maxEdits),
  })
  .strict();
const insert = z.object({ values: cells }).strict();

const scope = z.union([
  z.object({ keys: z.array(key).min(1).max(maxKeys) }).strict(),
  z.object({ filters }).strict(),
]);
/**
 * `rows` is the number of rows for which the operator confirmed the change. If the change affects a different number of
 * rows, it is rolled back.
 */
const affectRows = z.object({ scope, rows: z.number().int().min(0).optional() }).strict();
/** With `undo`, the response contains the deleted rows, so that they can be restored. */
const removeRows = affectRows.extend({ undo: z.boolean().default(false) });
const changeRows = affectRows.extend({ changes: cells });
const restoredRows = z
  .object({
    columns: z.array(z.string()).min(1).max(1600),
    rows: z.array(z.array(z.string().nullable())).min(1).max(1000),
  })
  .strict();

const exportView = z.object({
  ...view,
  format: z.enum(['csv', 'json']),
  /** Whether to neutralize CSV cells that a spreadsheet program would run as formulas. */
  guarded: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
});

const delimiter = z.enum([',', ';', '\t', '|']).default(',');
const format = z.enum(['csv', 'json']);
const importHead = z.object({ as: personaText, format, delimiter });
const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const importFile = z.object({
  as: personaText,
  format,
  delimiter,
  mapping: jsonText(z.record(z.string(), z.string())),
  /** Values that are the same in every row, by the table's column. */
  fixed: jsonText(z.record(z.string(), z.string().nullable())).optional(),
  /** Whether this is a dry run, in which the import is rolled back. */
  dry: flag,
  /** Whether to skip invalid rows. If false, a single invalid row causes the whole import to be rejected. */
  skip: flag,
  /** An ID with which the progress of the import can be requested. */
  id: z.string().max(100).default(''),
});

export type RelationKind = 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table';

export interface RelationSummary {
  schema: string;
  name: string;
  kind: RelationKind;
  /** The planner's estimate. Null if the table hasn't been analyzed yet. */
  estimated_rows: number | null;
  rls: boolean;
  policies: number;
  comment: string | null;
}

export interface Column {
  name: string;
  /** The type in the format of `format_type`, such as `character varying(20)`. */
  type: string;
  nullable: boolean;
  default: string | null;
  generated: boolean;
  identity: 'always' | 'by default' | null;
  primary_key: boolean;
  enum_values: string[] | null;
  references: { schema: string; table: string; column: string } | null;
  comment: string | null;
}

/** The columns that identify a row (`core/filters.ts`). */
export type RelationKey =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'place' }
  | { readonly kind: 'none' };

export interface ForeignKey {
  name: string;
  columns: string[];
  schema: string;
  table: string;
  /** The referenced columns, in the same order as `columns`. */
  references: string[];
}

/** Rows, in any table, that reference the deleted rows. */
export interface DeleteEffect {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** `reject` means that the deletion is rejected because these rows reference deleted rows. */
  readonly action: 'cascade' | 'set null' | 'set default' | 'reject';
  readonly rows: number;
  /** Whether the actual number of rows is larger than the number that was counted. */
  readonly isMore: boolean;
  /** Whether deleting or changing these rows would in turn affect other rows. */
  readonly deeper: boolean;
}

/** The deleted rows, with all stored values as text. */
export interface DeletedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export interface ReferenceChoices {
  /** The referenced keys, each with the text in a column that describes the row. */
  readonly choices: readonly { readonly value: string; readonly label: string | null }[];
  /** Whether more rows match than the response contains. */
  readonly more: boolean;
}

/** The way in which Citus stores a table. */
export interface Distribution {
  /** A `single-shard` table is on one server, such as a table of a distributed schema. */
  kind: 'distributed' | 'reference' | 'single-shard' | 'local';
  /** The distribution column. Null if the table isn't distributed by a column. */
  column: string | null;
  shards: number;
}

export interface Relation extends RelationSummary {
  /** Null if the database doesn't use Citus. */
  distribution: Distribution | null;
  columns: Column[];
  key: RelationKey;
  foreign_keys: ForeignKey[];
  /** Whether the table has a BEFORE INSERT trigger, which can set required columns that an insert omits. */
  insert_trigger: boolean;
}

export interface Filter {
  readonly column: string;
  readonly operator: (typeof filterOperators)[number];
  readonly value: string;
}

/** Values by column name, as text. */
export type RowKey = Readonly<Record<string, string>>;

/** The values in a row's sort columns, as text. */
export type Cursor = readonly (string | null)[];

export interface Sort {
  readonly column: string;
  readonly ascending: boolean;
}

export interface Page {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The positions of cells that were truncated, as `[row, column]`. */
  readonly cut: readonly (readonly [number, number])[];
  /** The keys of the rows. Null if the cells already include the key columns. */
  readonly keys: readonly RowKey[] | null;
  /** The cursors for the first and the last row on the page. Null if the pages of this table are found by offset. */
  readonly first: Cursor | null;
  readonly last: Cursor | null;
  /** Whether more rows follow after this page. */
  readonly more: boolean;
  /**
   * The number of matching rows, which was either estimated by the planner or counted. Set only in responses with the
   * first page.
   */
  readonly estimate: number | null;
  /** Whether the rows were counted rather than estimated. */
  readonly isExact: boolean;
}

/** The new value of a cell: text, NULL, or the default of the column. */
export type CellChange = { readonly value: string | null } | { readonly default: true };

export type Values = Readonly<Record<string, string | null>>;

export interface EditedRow {
  /** The key that the row has after the edit. */
  readonly key: RowKey;
  /** The values that the changed columns had before the edit. */
  readonly before: Values;
  /** The row as stored in the database after the edit. */
  readonly row: Values;
}

export interface ImportFault {
  /** The line number in the file. Null if the error doesn't refer to a line. */
  readonly line: number | null;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly column?: string | undefined;
  readonly sqlstate?: string | undefined;
}

/** A group of rows that have the same error. */
export interface FaultGroup {
  /** The error message without the value from the row. */
  readonly message: string;
  readonly column?: string;
  readonly sqlstate?: string;
  readonly count: number;
  readonly examples: readonly { readonly line: number | null; readonly detail?: string }[];
}

export interface SkippedRow {
  readonly line: number | null;
  readonly reason: string;
  /** The row's values as read from the file. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface ImportReport {
  /** The number of rows that were read from the file. */
  readonly rows: number;
  /** The total number of errors. */
  readonly invalid: number;
  /** The first errors. */
  readonly faults: readonly ImportFault[];
  readonly groups: readonly FaultGroup[];
  /** The rows that were skipped, if skipping was requested. */
  readonly skipped: readonly SkippedRow[];
  /** Whether the import stopped early because there were too many errors. */
  readonly stopped: boolean;
}

export const contract = {
  'GET /tables': { response: json<{ readonly tables: readonly RelationSummary[] }>() },
  /**
   * Returns a snapshot, which shows which transactions have been committed (`pg_current_snapshot`). With `after`, waits
   * up to 20 seconds until the snapshot differs from the given one. As long as the snapshot is the same, no data has
   * changed.
   */
  'GET /snapshot': { query: snapshot, response: json<{ readonly snapshot: string }>() },
  'GET /tables/:schema/:table': { response: json<Relation>() },
  'GET /tables/:schema/:table/rows': { query: page, response: json<Page>() },
  'GET /tables/:schema/:table/count': { query: count, response: json<{ readonly count: number }>() },
  'GET /tables/:schema/:table/row': { query: rowKey, response: json<{ readonly row: Values }>() },
  /** Returns the foreign keys of all tables that reference this table. */
  'GET /tables/:schema/:table/referring': { response: json<{ readonly keys: readonly ForeignKey[] }>() },
  /** Searches the rows that a foreign key can reference. */
  'GET /tables/:schema/:table/references/:column': {
    query: referenceSearch,
    response: json<ReferenceChoices>(),
  },
  'PATCH /tables/:schema/:table/rows': {
    query: asPersona,
    body: rowEdits,
    response: json<{ readonly rows: readonly EditedRow[] }>(),
  },
  'POST /tables/:schema/:table/rows': {
    query: asPersona,
    body: insert,
    response: json<{ readonly row: Values }>(),
  },
  'DELETE /tables/:schema/:table/rows': {
    query: asPersona,
    body: removeRows,
    response: json<{
      readonly deleted: number;
      readonly restorable?: DeletedRows;
      readonly undo?: Recorded;
    }>(),
  },
  /** Returns the other rows that a deletion would change or delete, and whether the deletion can be undone. */
  'POST /tables/:schema/:table/delete-effects': {
    query: asPersona,
    body: z.object({ scope }).strict(),
    response: json<{ readonly effects: readonly DeleteEffect[]; readonly restorable: boolean }>(),
  },
  /** Reinserts deleted rows. */
  'POST /tables/:schema/:table/restore': {
    query: asPersona,
    body: restoredRows,
    response: json<{ readonly restored: number }>(),
  },
  'POST /tables/:schema/:table/change': {
    query: asPersona,
    body: changeRows,
    response: json<{ readonly changed: number; readonly undo?: Recorded }>(),
  },
  /** Returns a CSV or JSON file. */
  'GET /tables/:schema/:table/export': { query: exportView, response: raw },
  'POST /tables/:schema/:table/import/head': {
    query: importHead,
    body: 'file',
    response: json<{
      readonly columns: readonly string[];
      readonly sample: readonly Readonly<Record<string, unknown>>[];
    }>(),
  },
  'POST /tables/:schema/:table/import': {
    query: importFile,
    body: 'file',
    response: json<ImportReport & { readonly written: boolean; readonly undo?: Recorded }>(),
  },
  'GET /imports/:id': { response: json<{ readonly rows: number | null }>() },
} as const satisfies RouteTable;
