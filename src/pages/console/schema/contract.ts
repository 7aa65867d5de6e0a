export type { InferredColumn, InferredType } from '../tables/core/infer-types.ts';
export type * from './access-changes.ts';
export type * from './changes.ts';
export type * from './definition-changes.ts';
export type * from './object-changes.ts';

import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';
import type { ForeignKey, ImportReport, RelationSummary } from '../tables/contract.ts';
import type { InferredColumn } from '../tables/core/infer-types.ts';
import { accessInputs } from './access-input.ts';
import type { IndexMethod, ReferenceAction, SchemaChange } from './changes.ts';
import { expression, kind, maxColumns, name, names, text, type } from './input.ts';
import { objectInputs } from './object-input.ts';

const maxChanges = 200;

const action = z.enum(['no action', 'restrict', 'cascade', 'set null', 'set default']).optional();
const reference = z
  .object({ schema: name, table: name, columns: z.array(name).max(32), onDelete: action, onUpdate: action })
  .strict();

const identity = z.enum(['always', 'by default']);
const column = z
  .object({
    name,
    type,
    nullable: z.boolean(),
    default: expression.optional(),
    identity: identity.optional(),
    generated: expression.optional(),
    unique: z.boolean().optional(),
    check: expression.optional(),
    references: reference.optional(),
    comment: text.optional(),
  })
  .strict();

const primaryKey = z.object({ kind: z.literal('primary key'), columns: names }).strict();
const unique = z
  .object({ kind: z.literal('unique'), columns: names, nullsNotDistinct: z.boolean().optional() })
  .strict();
const check = z.object({ kind: z.literal('check'), expression }).strict();
const foreignKey = z
  .object({
    kind: z.literal('foreign key'),
    columns: names,
    references: reference,
    deferrable: z.boolean().optional(),
  })
  .strict();
const constraint = z.discriminatedUnion('kind', [primaryKey, unique, check, foreignKey]);
const namedConstraint = z.discriminatedUnion('kind', [
  primaryKey.extend({ name: name.optional() }),
  unique.extend({ name: name.optional() }),
  check.extend({ name: name.optional() }),
  foreignKey.extend({ name: name.optional() }),
]);

const part = z
  .object({
    column: name.optional(),
    expression: expression.optional(),
    operatorClass: name.optional(),
    descending: z.boolean().optional(),
  })
  .strict();

const ofTable = z.object({ schema: name, table: name }).strict();
const ofEnum = z.object({ schema: name, name }).strict();
const cascade = z.boolean().default(false);

const createTable = ofTable.extend({
  ...kind('create_table'),
  columns: z.array(column).max(maxColumns),
  constraints: z.array(namedConstraint).max(100).default([]),
  rls: z.boolean(),
  comment: text.optional(),
});
const change: z.ZodType<SchemaChange> = z.discriminatedUnion('kind', [
  z.object({ ...kind('create_schema'), name }).strict(),
  ofEnum.extend({ ...kind('create_enum'), values: z.array(text.min(1)).max(1000) }),
  ofEnum.extend({ ...kind('add_enum_value'), value: text.min(1), before: text.optional() }),
  ofEnum.extend({ ...kind('rename_enum_value'), value: text.min(1), to: text.min(1) }),
  ofEnum.extend({ ...kind('rename_enum'), to: name }),
  ofEnum.extend({ ...kind('drop_enum') }),
  z.object({ ...kind('create_extension'), extension: name, schema: name.optional(), cascade }).strict(),
  z.object({ ...kind('update_extension'), extension: name }).strict(),
  z.object({ ...kind('drop_extension'), extension: name, cascade }).strict(),
  z
    .object({
      ...kind('define'),
      object: z.enum(['routine', 'view', 'trigger']),
      text: z
        .string()
        .min(1)
        .max(1_000_000)
        .refine((value) => !value.includes('\0'), { message: 'contains a null byte' }),
    })
    .strict(),
  ofEnum.extend({
    ...kind('drop_routine'),
    routine: z.enum(['function', 'procedure', 'aggregate']),
    types: z.array(z.object({ schema: name, name }).strict()).max(200),
    cascade,
  }),
  ofEnum.extend({ ...kind('drop_view'), isMaterialized: z.boolean(), cascade }),
  createTable,
  ofTable.extend({ ...kind('rename_table'), name }),
  ofTable.extend({ ...kind('comment_table'), comment: text.nullable() }),
  ofTable.extend({ ...kind('drop_table'), cascade }),
  ofTable.extend({ ...kind('set_rls'), enabled: z.boolean() }),
  ofTable.extend({ ...kind('replica_identity'), identity: z.enum(['default', 'full']) }),
  ofTable.extend({ ...kind('add_column'), column }),
  ofTable.extend({
    ...kind('alter_column'),
    column: name,
    name: name.optional(),
    type: z.object({ to: type, using: expression.optional() }).strict().optional(),
    nullable: z.boolean().optional(),
    default: expression.nullable().optional(),
    identity: z
      .union([
        z.object({ action: z.enum(['add', 'set']), as: identity }).strict(),
        z.object({ action: z.literal('drop') }).strict(),
      ])
      .optional(),
    comment: text.nullable().optional(),
  }),
  ofTable.extend({ ...kind('drop_column'), column: name, cascade }),
  ofTable.extend({ ...kind('add_constraint'), name: name.optional(), constraint }),
  ofTable.extend({ ...kind('drop_constraint'), name, cascade }),
  ofTable.extend({
    ...kind('create_index'),
    name: name.optional(),
    method: z.enum(['btree', 'hash', 'gin', 'gist', 'brin', 'spgist', 'hnsw', 'ivfflat']),
    unique: z.boolean(),
    parts: z.array(part).min(1).max(32),
    include: z.array(name).max(32).optional(),
    where: expression.optional(),
    concurrently: z.boolean().optional(),
  }),
  ofTable.extend({ ...kind('drop_index'), name }),
  ofTable.extend({
    ...kind('create_trigger'),
    name,
    timing: z.enum(['before', 'after', 'instead of']),
    events: z
      .array(z.enum(['insert', 'update', 'delete', 'truncate']))
      .min(1)
      .max(4),
    columns: z.array(name).max(maxColumns).optional(),
    forEach: z.enum(['row', 'statement']),
    when: expression.optional(),
    function: z.object({ schema: name, name }).strict(),
    arguments: z.array(text).max(100).optional(),
  }),
  ofTable.extend({ ...kind('drop_trigger'), name }),
  ofTable.extend({ ...kind('set_trigger'), name, enabled: z.boolean() }),
  ...accessInputs,
  ...objectInputs,
]);

const changes = z.array(change).min(1).max(maxChanges);

const migrationName = z
  .string()
  .regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores')
  .optional();

const fileFormat = { format: z.enum(['csv', 'json']), delimiter: z.enum([',', ';', '\t', '|']).default(',') };

/** The first line of the request body in `POST /schema/import`. */
export const importDefinition = z
  .object({
    change: createTable,
    /** For each column of the file, the corresponding column of the table. */
    mapping: z.record(z.string(), name),
    ...fileFormat,
    dry: z.boolean().default(false),
    skip: z.boolean().default(false),
    /** The name of the migration file. If set, the table's definition is also saved to this file. */
    migration: migrationName,
  })
  .strict();
export type ImportDefinition = Omit<Readonly<z.input<typeof importDefinition>>, 'change' | 'mapping'> & {
  readonly change: Extract<SchemaChange, { kind: 'create_table' }>;
  readonly mapping: Readonly<Record<string, string>>;
};

const schemaPreview = z.object({ changes }).strict();
const schemaApply = z
  .object({
    changes,
    /** The name of the object to delete, typed by the operator to confirm. */
    confirmed: z.string().optional(),
    /** The name of the migration file. If set, the change is also saved to this file. */
    migration: migrationName,
  })
  .strict();

export interface ConstraintRow {
  name: string;
  kind: 'primary key' | 'unique' | 'check' | 'foreign key' | 'exclusion';
  columns: string[];
  /** The definition in PostgreSQL's notation. */
  definition: string;
  references: { schema: string; table: string; columns: string[] } | null;
}

export interface IndexRow {
  name: string;
  definition: string;
  method: string;
  unique: boolean;
  valid: boolean;
  /** The constraint that the index belongs to. Dropping this constraint also drops the index. */
  constraint: string | null;
  size_bytes: number;
  partial: boolean;
  /** The key columns in order. An expression is an empty string. */
  columns: string[];
}

/** An index that is being built. */
export interface IndexBuild {
  /** The process ID of the session that builds the index. */
  readonly pid: number;
  /** Null if the index is visible only to the session's transaction. */
  readonly name: string | null;
  /** For example, `CREATE INDEX CONCURRENTLY`. */
  readonly command: string;
  /** PostgreSQL's name for the current step. */
  readonly phase: string;
  /** The finished part of the current step, between 0 and 1. Null if PostgreSQL doesn't report it. */
  readonly share: number | null;
  readonly elapsedMs: number;
  /** The statement on a single line. */
  readonly statement: string;
}

export interface TriggerRow {
  name: string;
  definition: string;
  enabled: boolean;
  function: { schema: string; name: string };
}

export interface Structure {
  /** The publications that include the table. */
  publications: string[];
  /** Which old values a publication includes in updates and deletes. */
  replica_identity: 'default' | 'full' | 'nothing' | 'index';
  constraints: ConstraintRow[];
  indexes: IndexRow[];
  triggers: TriggerRow[];
  size_bytes: number;
}

export interface EnumRow {
  schema: string;
  name: string;
  values: string[];
  /** The columns that have this type. */
  columns: { schema: string; table: string; column: string }[];
}

/** The choices offered in forms: schemas, user-defined types, and functions that a trigger can call. */
export interface Vocabulary {
  /** PostgreSQL's built-in types, which are written without a schema. */
  own_types: string[];
  schemas: string[];
  /** The methods that a new index can use, such as `btree`. */
  index_methods: IndexMethod[];
  types: { schema: string; name: string; kind: 'enum' | 'domain' | 'composite' | 'base' | 'range' }[];
  trigger_functions: { schema: string; name: string }[];
}

/** A column in the diagram. */
export interface DiagramColumn {
  name: string;
  /** The type in the format of `format_type`. */
  type: string;
  nullable: boolean;
  primary_key: boolean;
}

export interface DiagramKey extends ForeignKey {
  on_delete: ReferenceAction;
  on_update: ReferenceAction;
  /** Whether the key is checked at the end of the transaction (DEFERRABLE INITIALLY DEFERRED). */
  deferrable: boolean;
  /** Whether the form for foreign keys can express the key. For example, it can't express MATCH FULL. */
  editable: boolean;
  /** Whether a unique index permits at most one row for each referenced row. */
  unique: boolean;
  /** Whether all columns are NOT NULL, so that each row references another row. */
  required: boolean;
}

/** A table or view with everything that the diagram shows about it. */
export interface DiagramTable extends RelationSummary {
  columns: DiagramColumn[];
  foreign_keys: DiagramKey[];
}

export interface Warning {
  readonly kind:
    | 'rows'
    | 'values'
    | 'converted'
    | 'nulls'
    | 'unprotected'
    | 'type'
    // The rows of a schema that contains tokens and secrets can be read.
    | 'secrets'
    // The rows of a table to which no policies apply can be read or written.
    | 'exposed'
    | 'published'
    // Requests can no longer use a schema.
    | 'closed_schema'
    | 'service_access'
    | 'bypass'
    | 'overload';
  /** The name of the affected table or type, including its schema. */
  readonly on: string;
  readonly column?: string;
  /** The role whose privileges change. */
  readonly role?: string;
  readonly cascade?: boolean;
  /** The number of affected rows. Null if unknown. */
  readonly rows: number | null;
  /** Whether the number of rows is exact rather than an estimate by the planner. */
  readonly exact: boolean;
  /** The number of rows whose values would change. Set only if the type of a column is changed. Null if unknown. */
  readonly changed?: number | null;
  /**
   * The error that PostgreSQL reports when converting the column's values. Set only if the type of a column is changed.
   */
  readonly fault?: string;
}

export interface SchemaPreview {
  readonly statements: readonly string[];
  /** The name that the operator must type to confirm the change. Null if the change wouldn't delete any data. */
  readonly confirm: string | null;
  readonly warnings: readonly Warning[];
  /** Whether the change contains a secret, so that it can't be saved as a migration. */
  readonly hasSecrets: boolean;
}

export const contract = {
  'GET /schema': { response: json<Vocabulary>() },
  'GET /schema/diagram': { response: json<{ readonly tables: readonly DiagramTable[] }>() },
  'GET /enums': { response: json<{ readonly enums: readonly EnumRow[] }>() },
  'GET /tables/:schema/:table/structure': { response: json<Structure>() },
  'GET /tables/:schema/:table/builds': { response: json<{ readonly builds: readonly IndexBuild[] }>() },
  'POST /schema/preview': { body: schemaPreview, response: json<SchemaPreview>() },
  'POST /schema/apply': {
    body: schemaApply,
    response: json<{
      readonly statements: readonly string[];
      /** The path to the new migration file, or null if the request didn't ask for one. */
      readonly file: string | null;
    }>(),
  },
  'POST /schema/import/head': {
    query: z.object(fileFormat),
    body: 'file',
    response: json<{
      readonly columns: readonly InferredColumn[];
      readonly sample: readonly Readonly<Record<string, unknown>>[];
      /** The number of rows from which the column types were inferred. */
      readonly rows: number;
    }>(),
  },
  /** Creates a table from a file. The request body begins with the table's definition on a single line, as JSON. */
  'POST /schema/import': {
    query: z.object({ id: z.string().max(100).default('') }),
    body: 'file',
    response: json<ImportReport & { readonly written: boolean; readonly file: string | null }>(),
  },
} as const satisfies RouteTable;
