/** Infers the column types of a new table from the first rows of a file. */

/** The column types that can be inferred. */
export type InferredType =
  | 'bigint'
  | 'boolean'
  | 'date'
  | 'double precision'
  | 'jsonb'
  | 'numeric'
  | 'text'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid';

export interface InferredColumn {
  readonly name: string;
  readonly type: InferredType;
  /**
   * Whether every row has a value in this column and no value occurs twice. If true, the column can be the primary key.
   */
  readonly unique: boolean;
  /** Whether at least one row has no value in this column. */
  readonly nullable: boolean;
}

const day = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?`;

/** The column types, in the order in which they are tried. A type is chosen only if all values in the column match. */
const patterns: readonly (readonly [InferredType, RegExp])[] = [
  ['boolean', /^(?:true|false|t|f)$/i],
  // Numbers with leading zeros, such as postal codes, are treated as text.
  ['bigint', /^-?(?:0|[1-9]\d{0,17})$/],
  ['numeric', /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/],
  ['double precision', /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['date', new RegExp(`^${day}$`)],
  ['timestamptz', new RegExp(`^${day}[T ]${time}\\s?(?:Z|[+-]\\d{2}(?::?\\d{2})?)$`)],
  ['timestamp', new RegExp(`^${day}[T ]${time}$`)],
];

/** Infers the type of each column. `rows` contains texts if the file is a CSV file, and values if it is a JSON file. */
export function inferColumns(
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): InferredColumn[] {
  return names.map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const nullable = values.length < rows.length;
    const texts = new Set(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))));
    return {
      name,
      type: typeOf(values),
      nullable,
      unique: rows.length > 0 && !nullable && texts.size === rows.length,
    };
  });
}

function typeOf(values: readonly unknown[]): InferredType {
  if (values.length === 0) return 'text';
  if (values.some((value) => typeof value === 'object')) return 'jsonb';
  const texts = values.map(String);
  const found = patterns.find(([, pattern]) => texts.every((text) => pattern.test(text)));
  if (found !== undefined) return found[0];
  return texts.every(isJsonObject) ? 'jsonb' : 'text';
}

function isJsonObject(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
