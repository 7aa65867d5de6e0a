/** Determines the editor for a column. */
import type { Column } from '../../../api/types.ts';

export type Kind =
  | 'array'
  | 'boolean'
  | 'bytes'
  | 'choice'
  | 'date'
  | 'json'
  | 'number'
  | 'text'
  | 'time'
  | 'timestamp'
  | 'uuid';

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/\[\]$/, 'array'],
  [/^boolean$/, 'boolean'],
  [/^(smallint|integer|bigint|numeric|real|double precision|oid)\b/, 'number'],
  [/^uuid$/, 'uuid'],
  [/^date$/, 'date'],
  [/^timestamp/, 'timestamp'],
  [/^time\b/, 'time'],
  [/^jsonb?$/, 'json'],
  [/^bytea$/, 'bytes'],
];

export function kindOf({ type, enum_values }: Pick<Column, 'type' | 'enum_values'>): Kind {
  if (enum_values !== null) return 'choice';
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';
}

/** Whether the type stores an instant. If so, the text of a value contains the offset from UTC. */
export const hasZone = (type: string): boolean => /with time zone$/.test(type);

/** Returns the column as if its type were the element type of its array. */
export const elementOf = (column: Column): Column => ({
  ...column,
  type: column.type.replace(/\[\]$/, ''),
  nullable: true,
  default: null,
  identity: null,
  references: null,
});
