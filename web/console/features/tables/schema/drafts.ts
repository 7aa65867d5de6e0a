/**
 * Converts columns to the values of the column form, and these values to changes. This module doesn't depend on React.
 */
import type { Column } from '../../../api/types.ts';
import type { ColumnDefinition, ReferenceAction, SchemaChange, TypeRef, Vocabulary } from './api.ts';

export type ValueKind = 'none' | 'default' | 'identity' | 'identity-always' | 'generated';

export interface ColumnDraft {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly primary: boolean;
  readonly unique: boolean;
  readonly value: ValueKind;
  /** The expression of a default or a generated value. */
  readonly expression: string;
  readonly check: string;
  /** The referenced table as `schema.table`. Empty without a foreign key. */
  readonly target: string;
  readonly targetColumn: string;
  readonly onDelete: ReferenceAction;
  readonly onUpdate: ReferenceAction;
  readonly comment: string;
}

export const emptyColumn: ColumnDraft = {
  name: '',
  type: 'text',
  nullable: true,
  primary: false,
  unique: false,
  value: 'none',
  expression: '',
  check: '',
  target: '',
  targetColumn: '',
  onDelete: 'no action',
  onUpdate: 'no action',
  comment: '',
};

/** The initial columns of a new table. */
export const firstColumns: readonly ColumnDraft[] = [
  { ...emptyColumn, name: 'id', type: 'bigint', nullable: false, primary: true, value: 'identity-always' },
  {
    ...emptyColumn,
    name: 'created_at',
    type: 'timestamptz',
    nullable: false,
    value: 'default',
    expression: 'now()',
  },
];

const otherNames: Readonly<Record<string, string>> = {
  int: 'integer',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
  float4: 'real',
  float8: 'double precision',
  decimal: 'numeric',
  'character varying': 'varchar',
  character: 'char',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
};

/**
 * Parses a type that the user typed. Returns undefined for an unknown type.
 * @example
 * typeOf('numeric(10, 2)', vocabulary); // { name: 'numeric', modifiers: [10, 2] }
 */
export function typeOf(text: string, vocabulary: Vocabulary): TypeRef | undefined {
  // PostgreSQL prints a time's modifier in the middle of the type name, as in `timestamp(3) with time zone`.
  const inside = /^(timestamp|time)\s*(\(\d+\))\s+(with(?:out)? time zone)(\[\])?$/i.exec(text.trim());
  const written = inside === null ? text : `${inside[1]} ${inside[3]}${inside[2]}${inside[4] ?? ''}`;
  const match = /^(.+?)\s*(?:\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?\))?\s*(\[\])?$/.exec(written.trim());
  if (match === null) return undefined;
  const [, base = '', first, second, array] = match;
  const modifiers = [first, second].filter((each) => each !== undefined).map(Number);
  const shape = {
    ...(modifiers.length === 0 ? {} : { modifiers }),
    ...(array === undefined ? {} : { array: true }),
  };
  const plain = base.toLowerCase().replaceAll(/\s+/g, ' ');
  const own = otherNames[plain] ?? plain;
  if (vocabulary.own_types.includes(own)) return { name: own, ...shape };
  const bare = base.replaceAll('"', '');
  const known = vocabulary.types.find(({ schema, name }) => name === bare || `${schema}.${name}` === bare);
  return known === undefined ? undefined : { schema: known.schema, name: known.name, ...shape };
}

/** Converts the form's values to a column definition. Returns undefined if a value is missing. */
export function definitionOf(draft: ColumnDraft, vocabulary: Vocabulary): ColumnDefinition | undefined {
  const type = typeOf(draft.type, vocabulary);
  if (type === undefined || draft.name === '') return undefined;
  const target = splitTarget(draft.target);
  return {
    name: draft.name,
    type,
    nullable: draft.nullable && !draft.primary,
    ...(draft.value === 'default' && draft.expression !== '' ? { default: draft.expression } : {}),
    ...(draft.value === 'generated' && draft.expression !== '' ? { generated: draft.expression } : {}),
    ...(draft.value === 'identity' ? { identity: 'by default' as const } : {}),
    ...(draft.value === 'identity-always' ? { identity: 'always' as const } : {}),
    ...(draft.unique ? { unique: true } : {}),
    ...(draft.check === '' ? {} : { check: draft.check }),
    ...(draft.comment === '' ? {} : { comment: draft.comment }),
    ...(target === undefined
      ? {}
      : {
          references: {
            ...target,
            columns: draft.targetColumn === '' ? [] : [draft.targetColumn],
            onDelete: draft.onDelete,
            onUpdate: draft.onUpdate,
          },
        }),
  };
}

export function splitTarget(text: string): { schema: string; table: string } | undefined {
  const at = text.indexOf('.');
  return at < 0 ? undefined : { schema: text.slice(0, at), table: text.slice(at + 1) };
}

export function draftOf(column: Column): ColumnDraft {
  const value: ValueKind = column.generated
    ? 'generated'
    : column.identity === 'always'
      ? 'identity-always'
      : column.identity === 'by default'
        ? 'identity'
        : column.default === null
          ? 'none'
          : 'default';
  return {
    ...emptyColumn,
    name: column.name,
    type: column.type,
    nullable: column.nullable,
    primary: column.primary_key,
    value,
    expression: column.default ?? '',
    comment: column.comment ?? '',
  };
}

/**
 * Returns the changes that turn the existing column into the edited column. Returns undefined if nothing has changed or
 * if the type is invalid.
 */
export function alterationOf(
  at: { readonly schema: string; readonly table: string },
  column: Column,
  { draft, using }: { readonly draft: ColumnDraft; readonly using: string },
  vocabulary: Vocabulary,
): SchemaChange | undefined {
  const previous = draftOf(column);
  const type = typeOf(draft.type, vocabulary);
  if (type === undefined || draft.name === '') return undefined;
  const identity = identityChange(previous.value, draft.value);
  const expression = (each: ColumnDraft): string | null =>
    each.value === 'default' && each.expression !== '' ? each.expression : null;
  const parts = {
    ...(draft.name === previous.name ? {} : { name: draft.name }),
    ...(draft.type === previous.type ? {} : { type: { to: type, ...(using === '' ? {} : { using }) } }),
    ...(draft.nullable === previous.nullable ? {} : { nullable: draft.nullable }),
    ...(expression(draft) === expression(previous) ? {} : { default: expression(draft) }),
    ...(identity === undefined ? {} : { identity }),
    ...(draft.comment === previous.comment ? {} : { comment: draft.comment === '' ? null : draft.comment }),
  };
  return Object.keys(parts).length === 0
    ? undefined
    : { kind: 'alter_column', ...at, column: column.name, ...parts };
}

type IdentityChange = NonNullable<Extract<SchemaChange, { kind: 'alter_column' }>['identity']>;

function identityChange(from: ValueKind, to: ValueKind): IdentityChange | undefined {
  const as = { identity: 'by default', 'identity-always': 'always' } as const;
  const kind = to === 'identity' || to === 'identity-always' ? as[to] : undefined;
  const was = from === 'identity' || from === 'identity-always';
  if (kind === undefined) return was ? { action: 'drop' } : undefined;
  if (!was) return { action: 'add', as: kind };
  return from === to ? undefined : { action: 'set', as: kind };
}

/** Splits comma-separated names from a form field. */
export const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Suggests a name for the migration file, in lower case. The name consists of the action and its object. */
export function suggestedName(changes: readonly SchemaChange[]): string {
  const [first] = changes;
  if (first === undefined) return 'change';
  const words = [
    first.kind === 'define' ? `change_${first.object === 'routine' ? 'function' : first.object}` : first.kind,
    subjectOf(first),
    'column' in first && typeof first.column === 'string' ? first.column : '',
  ];
  return words
    .join('_')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 80);
}

/** Returns the name of the object that a change is about. */
function subjectOf(change: SchemaChange): string {
  if (change.kind === 'define') return definedName(change.text);
  if ('table' in change) return change.table;
  if ('extension' in change) return change.extension;
  if ('target' in change) return `${change.target.name} ${change.role}`;
  if ('publication' in change) return change.publication;
  if ('trigger' in change) return change.trigger;
  if ('server' in change) return change.server;
  if ('objects' in change) return `${change.objects} ${change.role}`;
  return 'role' in change ? change.role : change.name;
}

const sqlName = '(?:"(?:[^"]|"")*"|[\\w$]+)';
const creation = new RegExp(
  `\\bcreate\\s[\\w\\s]*?(?:function|procedure|view|trigger)\\s+(?:if\\s+not\\s+exists\\s+)?(?:${sqlName}\\s*\\.\\s*)?(${sqlName})`,
  'i',
);

/** Returns the name of the object that the text creates, without its schema. */
const definedName = (text: string): string => creation.exec(text)?.[1] ?? '';

export interface TableDraft {
  readonly schema: string;
  readonly name: string;
  readonly comment: string;
  readonly rls: boolean;
  readonly columns: readonly ColumnDraft[];
}

/**
 * Returns the changes that create the table, or undefined if the table doesn't have a name or a column is incomplete.
 */
export function newTableChanges(
  { schema, name, comment, rls, columns }: TableDraft,
  vocabulary: Vocabulary,
): readonly SchemaChange[] | undefined {
  const definitions = columns
    .map((column) => definitionOf(column, vocabulary))
    .filter((each) => each !== undefined);
  if (name === '' || definitions.length < columns.length) return undefined;
  const primary = columns.filter((column) => column.primary).map((column) => column.name);
  return [
    {
      kind: 'create_table',
      schema,
      table: name,
      columns: definitions,
      constraints: primary.length === 0 ? [] : [{ kind: 'primary key', columns: primary }],
      rls,
      ...(comment === '' ? {} : { comment }),
    },
  ];
}
