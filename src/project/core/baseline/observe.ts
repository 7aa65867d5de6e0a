/** Extracts from PostgreSQL's error message what a failed statement lacks or contradicts. Only English messages match. */

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  /** The error's context, which includes the failed statement of a function. */
  readonly where?: string | undefined;
  /** 1-based, in characters. */
  readonly position?: number | undefined;
}

export type Observation =
  | { readonly kind: 'no relation'; readonly schema?: string; readonly name: string }
  /** The table is undefined if the message doesn't contain it. */
  | {
      readonly kind: 'no column';
      readonly table?: string;
      /** The alias or table name before the column. */
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
  | {
      readonly kind: 'keys differ';
      readonly column: string;
      readonly referenced: string;
      readonly types: readonly [string, string];
    }
  /** The last query of an SQL function returns another type than the function declares. `column` is 1-based. */
  | {
      readonly kind: 'result differs';
      readonly returned: string;
      readonly declared: string;
      readonly column: number;
    }
  | { readonly kind: 'value of another type'; readonly column: string; readonly type: string }
  | { readonly kind: 'value in the wrong form'; readonly type: string; readonly value: string }
  | { readonly kind: 'no value'; readonly table: string; readonly name: string }
  | { readonly kind: 'column exists'; readonly table: string; readonly name: string }
  | { readonly kind: 'relation exists' | 'type exists'; readonly name: string }
  | { readonly kind: 'function exists'; readonly name: string }
  | { readonly kind: 'constraint exists'; readonly table: string; readonly name: string }
  | { readonly kind: 'value exists'; readonly name: string };

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
  rule('42704', `type ${name} does not exist`, ([shown = '']) => ({
    kind: 'no type',
    ...partsOf(shown.replace(/(\[\])+$/, '')),
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
  rule('42804', `foreign key constraint ${name} cannot be implemented`, (_, { detail = '' }) => {
    const [, column, referenced, left, right] =
      /^Key columns "(.+?)"[^"]*and "(.+?)"[^"]*are of incompatible types: (.+) and (.+)\.$/.exec(detail) ??
      [];
    if (column === undefined || referenced === undefined || left === undefined || right === undefined)
      return undefined;
    return { kind: 'keys differ', column, referenced, types: [left, right] };
  }),
  rule(
    '42804',
    `column ${name} is of type .+ but expression is of type (.+)$`,
    ([column = '', type = '']) => ({ kind: 'value of another type', column, type }),
  ),
  rule(
    '22P02|22007|22008',
    String.raw`invalid input (?:syntax|value) for (?:type|enum) ([\w. ]+): ${name}`,
    ([type = '', value = '']) => ({ kind: 'value in the wrong form', type, value }),
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

/** Returns undefined for an unrelated error. @example observe({ code: '42P01', message: 'relation "a" does not exist' }) */
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
