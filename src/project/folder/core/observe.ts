/**
 * Determines from PostgreSQL's error message which objects or types a failed statement requires or contradicts. Only
 * English messages from PostgreSQL are recognized.
 */

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  /** The context of the error. If a statement inside a function failed, this context contains the statement. */
  readonly where?: string | undefined;
  /** The error's position in characters, starting at 1. */
  readonly position?: number | undefined;
  /** The text of dynamic SQL or of a query in a function. `internalPosition` is a position in this text. */
  readonly internalQuery?: string | undefined;
  readonly internalPosition?: number | undefined;
}

export type Observation =
  | { readonly kind: 'no relation'; readonly schema?: string; readonly name: string }
  /** The table. Undefined if the error message doesn't contain the table's name. */
  | {
      readonly kind: 'no column';
      readonly table?: string;
      /** The alias or table name in front of the column. */
      readonly qualifier?: string;
      readonly name: string;
    }
  | { readonly kind: 'no type'; readonly schema?: string; readonly name: string }
  | {
      readonly kind: 'no function';
      readonly schema?: string;
      readonly name: string;
      readonly types: readonly string[];
    }
  | { readonly kind: 'no schema'; readonly name: string }
  | { readonly kind: 'no policy' | 'no constraint'; readonly table: string; readonly name: string }
  | { readonly kind: 'no unique key'; readonly table: string }
  | { readonly kind: 'no conflict target' }
  | { readonly kind: 'types differ'; readonly left: string; readonly right: string }
  | { readonly kind: 'no operator'; readonly left: string; readonly operator: string; readonly right: string }
  /** A condition has the type in `type` instead of boolean. */
  | { readonly kind: 'condition of another type'; readonly type: string }
  | {
      readonly kind: 'keys differ';
      readonly constraint: string;
      readonly column: string;
      readonly referenced: string;
      readonly types: readonly [string, string];
    }
  /** The last query of an SQL function returns a type that differs from the declared type. `column` starts at 1. */
  | {
      readonly kind: 'result differs';
      readonly returned: string;
      readonly declared: string;
      readonly column: number;
    }
  | {
      readonly kind: 'value of another type';
      readonly column: string;
      readonly columnType: string;
      readonly type: string;
    }
  | { readonly kind: 'value in the wrong format'; readonly type: string; readonly value: string }
  | { readonly kind: 'no value'; readonly table: string; readonly name: string }
  | { readonly kind: 'column exists'; readonly table: string; readonly name: string }
  | { readonly kind: 'relation exists' | 'type exists'; readonly name: string }
  | { readonly kind: 'function exists'; readonly name: string }
  | { readonly kind: 'constraint exists'; readonly table: string; readonly name: string }
  | { readonly kind: 'value exists'; readonly name: string }
  | { readonly kind: 'not unique'; readonly constraint: string };

type Rule = readonly [
  codes: string,
  pattern: RegExp,
  read: (groups: readonly string[], failure: Failure) => Observation | undefined,
];

const name = '"((?:[^"]|"")+)"';
const rule = (codes: string, pattern: string, read: Rule[2]): Rule => [
  codes,
  new RegExp(`^${pattern}`),
  read,
];

const rules: readonly Rule[] = [
  rule('42P01', `(?:relation|table|view|materialized view) ${name} does not exist`, ([shown = '']) => ({
    kind: 'no relation',
    ...partsOf(shown),
  })),
  rule('42703', `column ${name} of relation ${name} does not exist`, ([column = '', table = '']) => ({
    kind: 'no column',
    table,
    name: column,
  })),
  rule(
    '42703',
    `column ${name}(?: named in key| referenced in foreign key constraint)? does not exist`,
    ([column = '']) => ({ kind: 'no column', name: column }),
  ),
  rule('42703', String.raw`column (\w+)\.(\w+) does not exist`, ([qualifier = '', column = '']) => ({
    kind: 'no column',
    qualifier,
    name: column,
  })),
  rule('42703', `record "(?:new|old)" has no field ${name}`, ([column = '']) => ({
    kind: 'no column',
    name: column,
  })),
  // In an error message about a parameter, the type isn't quoted.
  rule('42704', `type (?:${name}|(\\S+)) does not exist`, ([quoted, bare]) => ({
    kind: 'no type',
    ...partsOf((quoted ?? bare ?? '').replace(/(\[\])+$/, '')),
  })),
  rule('42704', `policy ${name} for table ${name} does not exist`, ([policy = '', table = '']) => ({
    kind: 'no policy',
    table,
    name: policy,
  })),
  rule('42704', `constraint ${name} of relation ${name} does not exist`, ([constraint = '', table = '']) => ({
    kind: 'no constraint',
    table,
    name: constraint,
  })),
  rule('42704', `there is no primary key for referenced table ${name}`, ([table = '']) => ({
    kind: 'no unique key',
    table,
  })),
  rule(
    '42830',
    `there is no unique constraint matching given keys for referenced table ${name}`,
    ([table = '']) => ({ kind: 'no unique key', table }),
  ),
  rule('23505', `duplicate key value violates unique constraint ${name}`, ([constraint = '']) => ({
    kind: 'not unique',
    constraint,
  })),
  rule('42P10', 'there is no unique or exclusion constraint', () => ({ kind: 'no conflict target' })),
  rule(
    '42883',
    String.raw`(?:function|procedure) ([^(]+)\((.*)\) does not exist`,
    ([shown = '', types = '']) => ({
      kind: 'no function',
      ...partsOf(shown),
      types: types === '' ? [] : types.split(/, (?![^(]*\))/),
    }),
  ),
  rule('42883', 'operator does not exist: (.+) (?:=|<>|<|>|<=|>=) (.+)$', ([left = '', right = '']) => ({
    kind: 'types differ',
    left,
    right,
  })),
  rule(
    '42883',
    'operator does not exist: (.+) ([-+*/~!@#?&|<>]+) (.+)$',
    ([left = '', operator = '', right = '']) => ({ kind: 'no operator', left, operator, right }),
  ),
  rule('42804', 'argument of .+ must be type boolean, not type (.+)$', ([type = '']) => ({
    kind: 'condition of another type',
    type,
  })),
  rule(
    '42804',
    `foreign key constraint ${name} cannot be implemented`,
    ([constraint = ''], { detail = '' }) => {
      const [, column, referenced, left, right] =
        /^Key columns "(.+?)"[^"]*and "(.+?)"[^"]*are of incompatible types: (.+) and (.+)\.$/.exec(detail) ??
        [];
      if (column === undefined || referenced === undefined || left === undefined || right === undefined)
        return undefined;
      return { kind: 'keys differ', constraint, column, referenced, types: [left, right] };
    },
  ),
  rule(
    '42804',
    `column ${name} is of type (.+) but expression is of type (.+)$`,
    ([column = '', columnType = '', type = '']) => ({
      kind: 'value of another type',
      column,
      columnType,
      type,
    }),
  ),
  rule(
    '22P02|22007|22008',
    String.raw`invalid input (?:syntax|value) for (?:type|enum) ([\w. ]+): ${name}`,
    ([type = '', value = '']) => ({ kind: 'value in the wrong format', type, value }),
  ),
  rule(
    '23502',
    `null value in column ${name} of relation ${name} violates not-null constraint`,
    ([column = '', table = '']) => ({ kind: 'no value', table, name: column }),
  ),
  rule('3F000', `schema ${name} does not exist`, ([schema = '']) => ({ kind: 'no schema', name: schema })),
  rule('42701', `column ${name} of relation ${name} already exists`, ([column = '', table = '']) => ({
    kind: 'column exists',
    table,
    name: column,
  })),
  rule('42P07', `relation ${name} already exists`, ([relation = '']) => ({
    kind: 'relation exists',
    name: relation,
  })),
  rule('42710', `type ${name} already exists`, ([type = '']) => ({ kind: 'type exists', name: type })),
  rule(
    '42710',
    `constraint ${name} for relation ${name} already exists`,
    ([constraint = '', table = '']) => ({ kind: 'constraint exists', table, name: constraint }),
  ),
  rule('42710', `enum label ${name} already exists`, ([label = '']) => ({
    kind: 'value exists',
    name: label,
  })),
  rule('42723', `function ${name} already exists`, ([shown = '']) => ({
    kind: 'function exists',
    name: shown,
  })),
  rule(
    '42P13',
    'cannot change (?:return type of existing function|name of input parameter)',
    (_, { detail = '' }) => ({ kind: 'function exists', name: detail }),
  ),
  rule(
    '42P13',
    'return type mismatch in function declared to return (.+)$',
    ([result = ''], { detail = '' }) => {
      const ofColumn = /^Final statement returns (.+) instead of (.+) at column (\d+)\.$/.exec(detail);
      const [, returned = /^Actual return type is (.+)\.$/.exec(detail)?.[1], declared = result, column = 1] =
        ofColumn ?? [];
      if (returned === undefined) return undefined;
      return { kind: 'result differs', returned, declared, column: Number(column) };
    },
  ),
  rule('42P16', 'cannot (?:change|drop|remove)', () => ({ kind: 'relation exists', name: '' })),
];

/**
 * Returns the observation, or undefined if the error isn't related to a missing or wrong object.
 * @example observe({ code: '42P01', message: 'relation "a" does not exist' })
 */
export function observe(failure: Failure): Observation | undefined {
  for (const [codes, pattern, read] of rules) {
    const match = codes.split('|').includes(failure.code) ? pattern.exec(failure.message) : null;
    if (match !== null) return read(match.slice(1), failure);
  }
  return undefined;
}

function partsOf(shown: string): { readonly schema?: string; readonly name: string } {
  const at = shown.indexOf('.');
  return at < 0 ? { name: shown } : { schema: shown.slice(0, at), name: shown.slice(at + 1) };
}
