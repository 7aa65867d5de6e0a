/**
 * Determines whether changing a column's type can lose data. The statements that change the type use explicit casts,
 * which truncate values that are too long.
 */

interface Type {
  readonly name: string;
  readonly modifiers: readonly number[];
  readonly dimensions: string;
}

/** Returns whether the change can lose values. The types are in the format that PostgreSQL's `format_type` returns. */
export function canLoseData(from: string, to: string): boolean {
  if (from === to) return false;
  const [before, after] = [parse(from), parse(to)];
  if (after.dimensions !== before.dimensions) return !isUnlimitedText(after) || after.dimensions !== '';
  if (isUnlimitedText(after)) return false;
  if (before.name === after.name) return !fits(before, after);
  return after.modifiers.length > 0 || !(wider[before.name] ?? []).includes(after.name);
}

const isUnlimitedText = ({ name, modifiers }: Type): boolean =>
  name === 'text' || (name === 'character varying' && modifiers.length === 0);

/** Maps each type to the types that can represent all values of that type. */
const wider: Readonly<Record<string, readonly string[]>> = {
  smallint: ['integer', 'bigint', 'numeric', 'real', 'double precision'],
  integer: ['bigint', 'numeric', 'double precision'],
  bigint: ['numeric'],
  real: ['double precision'],
  date: ['timestamp without time zone', 'timestamp with time zone'],
  'timestamp without time zone': ['timestamp with time zone'],
  'timestamp with time zone': ['timestamp without time zone'],
  'time without time zone': ['time with time zone'],
  json: ['jsonb'],
  jsonb: ['json'],
  cidr: ['inet'],
};

function fits({ name, modifiers }: Type, after: Type): boolean {
  if (after.modifiers.length === 0) return true;
  if (modifiers.length === 0) return false;
  const [size = 0, scale = 0] = modifiers;
  const [newSize = 0, newScale = 0] = after.modifiers;
  if (name === 'numeric') return newScale >= scale && newSize - newScale >= size - scale;
  return newSize >= size;
}

/** A type's modifiers can be in the middle, as in `timestamp(3) with time zone`. */
function parse(text: string): Type {
  const dimensions = /(\[\])*$/.exec(text)?.[0] ?? '';
  const base = text.slice(0, text.length - dimensions.length);
  const list = /\(([^)]*)\)/.exec(base)?.[1];
  return {
    name: base.replace(/\([^)]*\)/, ''),
    modifiers: list === undefined ? [] : list.split(',').map(Number),
    dimensions,
  };
}
