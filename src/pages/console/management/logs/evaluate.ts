/** Evaluates a log query over log records. */
import { LogQueryError } from './lex.ts';
import type { Expression, LogQuery, Selected } from './parse.ts';
import { attributeNames, type LogRecord, sources } from './records.ts';

export type Value = string | number | boolean | null | Date;
export type ResultRow = Readonly<Record<string, Value>>;

const defaultLimit = 100;
const maxRows = 1000;

/** Returns the rows of the result. @throws {LogQueryError} for an unknown column or function */
export function evaluate(query: LogQuery, records: readonly LogRecord[], now: number): ResultRow[] {
  if (query.from !== 'logs' && !Object.hasOwn(sources, query.from))
    throw new LogQueryError(`Unknown table ${query.from}. Tables: logs, ${Object.keys(sources).join(', ')}.`);
  const selected = query.selected ?? everyColumn;
  const context: Context = { query, selected, now };
  const matching = records.filter(
    (record) =>
      (query.from === 'logs' || record.source === query.from) &&
      (query.where === undefined || evaluated(query.where, context, [record]) === true),
  );
  const isGrouped =
    query.groupBy.length > 0 ||
    [...selected.map(({ expression }) => expression), ...orders(query)].some(hasAggregate);
  const groups = isGrouped ? grouped(matching, context) : matching.map((record) => [record]);
  const kept =
    query.having === undefined
      ? groups
      : groups.filter((group) => evaluated(query.having as Expression, context, group) === true);
  const sorted = sortGroups(kept, context);
  const rows = sorted.map((group) =>
    Object.fromEntries(selected.map(({ name, expression }) => [name, evaluated(expression, context, group)])),
  );
  const limit = Math.min(query.limit ?? defaultLimit, maxRows);
  return (query.isDistinct ? distinct(rows) : rows).slice(query.offset, query.offset + limit);
}

interface Context {
  readonly query: LogQuery;
  readonly selected: readonly Selected[];
  readonly now: number;
}

const columns = ['id', 'timestamp', 'event_message', 'severity_text', 'source'] as const;
const everyColumn: readonly Selected[] = [...columns, 'log_attributes'].map((name) => ({
  name,
  expression: { kind: 'column', path: [name] },
}));

const orders = (query: LogQuery): Expression[] => query.orderBy.map(({ expression }) => expression);

const distinct = (rows: ResultRow[]): ResultRow[] => [
  ...new Map(rows.map((row) => [JSON.stringify(row), row])).values(),
];

function grouped(records: readonly LogRecord[], context: Context): (readonly LogRecord[])[] {
  const { groupBy } = context.query;
  // Without GROUP BY, an aggregate has one row, even over no records.
  if (groupBy.length === 0) return [records];
  const groups = new Map<string, LogRecord[]>();
  for (const record of records) {
    const key = JSON.stringify(
      groupBy.map((each) => evaluated(positional(each, context), context, [record])),
    );
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  return [...groups.values()];
}

/** In GROUP BY and ORDER BY, a number is the position of a selected column. */
const positional = (expression: Expression, { selected }: Context): Expression =>
  expression.kind === 'value' && typeof expression.value === 'number'
    ? (selected[expression.value - 1]?.expression ?? expression)
    : expression;

function sortGroups(groups: (readonly LogRecord[])[], context: Context): (readonly LogRecord[])[] {
  const { orderBy } = context.query;
  if (orderBy.length === 0) return groups;
  const keyed = groups.map((group) => ({
    group,
    keys: orderBy.map(({ expression }) => evaluated(positional(expression, context), context, group)),
  }));
  keyed.sort((left, right) => {
    for (const [index, { isDescending }] of orderBy.entries()) {
      const order = compare(left.keys[index] ?? null, right.keys[index] ?? null) ?? 0;
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
  return keyed.map(({ group }) => group);
}

const aggregates = ['count', 'countif', 'sum', 'avg', 'min', 'max', 'any', 'uniq', 'uniqexact'];

function hasAggregate(expression: Expression): boolean {
  switch (expression.kind) {
    case 'call':
      return aggregates.includes(expression.name) || expression.args.some(hasAggregate);
    case 'binary':
      return hasAggregate(expression.left) || hasAggregate(expression.right);
    case 'not':
    case 'negative':
    case 'is null':
      return hasAggregate(expression.operand);
    case 'in':
      return [expression.operand, ...expression.items].some(hasAggregate);
    default:
      return false;
  }
}

/** Returns the value for a group of records. Outside of aggregates, the first record counts. */
function evaluated(expression: Expression, context: Context, group: readonly LogRecord[]): Value {
  const value = (each: Expression) => evaluated(each, context, group);
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'interval':
      return expression.ms;
    case 'column':
      return columnValue(expression.path, context, group);
    case 'not': {
      const operand = value(expression.operand);
      return operand === null ? null : operand !== true;
    }
    case 'negative':
      return -Number(value(expression.operand));
    case 'is null':
      return value(expression.operand) === null;
    case 'in': {
      const operand = value(expression.operand);
      return operand !== null && expression.items.some((item) => compare(operand, value(item)) === 0);
    }
    case 'binary':
      return binary(expression.operator, value(expression.left), () => value(expression.right));
    case 'call':
      return aggregates.includes(expression.name)
        ? aggregate(expression, context, group)
        : call(
            expression.name,
            expression.args.map((arg) => unitOr(arg, value)),
            context,
          );
  }
}

/** A unit, such as `hour` in `timestamp_trunc(timestamp, hour)`, isn't a column. */
const unitOr = (arg: Expression, value: (each: Expression) => Value): Value =>
  arg.kind === 'column' &&
  arg.path.length === 1 &&
  Object.hasOwn(truncation, arg.path[0]?.toLowerCase() ?? '')
    ? (arg.path[0] ?? null)
    : value(arg);

function columnValue(path: readonly string[], context: Context, group: readonly LogRecord[]): Value {
  const [first = '', ...rest] = path;
  const { aliases } = context.query;
  const prefix = aliases.get(first.toLowerCase());
  const isAttribute = first.toLowerCase() === 'log_attributes' && rest.length > 0;
  const names = isAttribute
    ? rest
    : prefix === undefined
      ? path
      : [...(prefix === '' ? [] : [prefix]), ...rest];
  const name = names.filter((part) => part !== 'metadata').join('.');
  const [record] = group;
  if (!isAttribute && (columns as readonly string[]).includes(name))
    return record === undefined ? null : record[name as (typeof columns)[number]];
  if (name === 'log_attributes' && !isAttribute)
    return record === undefined ? null : JSON.stringify(record.attributes);
  const alias = context.selected.find(
    (each) => path.length === 1 && each.name === first && !refersTo(each.expression, first),
  );
  if (alias !== undefined) return evaluated(alias.expression, context, group);
  if (!isAttribute && !attributeNames.has(name))
    throw new LogQueryError(
      `Unknown column ${path.join('.')}. Columns: ${columns.join(', ')}, log_attributes['name'] with ${[...attributeNames].join(', ')}.`,
    );
  return record?.attributes[name] ?? null;
}

const refersTo = (expression: Expression, name: string): boolean =>
  expression.kind === 'column' && expression.path.length === 1 && expression.path[0] === name;

function aggregate(
  { name, args: [arg], isDistinct }: Extract<Expression, { kind: 'call' }>,
  context: Context,
  group: readonly LogRecord[],
): Value {
  const all =
    arg === undefined
      ? []
      : group.map((record) => evaluated(arg, context, [record])).filter((each) => each !== null);
  if (name === 'countif') return all.filter((each) => each === true).length;
  const values = isDistinct || name.startsWith('uniq') ? distinctValues(all) : all;
  if (name.startsWith('uniq')) return values.length;
  if (name === 'count') return arg === undefined ? group.length : values.length;
  if (values.length === 0) return null;
  if (name === 'any') return values[0] ?? null;
  if (name === 'min' || name === 'max')
    return values.reduce((best, each) => {
      const order = compare(each, best) ?? 0;
      return (name === 'min' ? order < 0 : order > 0) ? each : best;
    });
  const sum = values.reduce<number>((total, each) => total + Number(each), 0);
  return name === 'sum' ? sum : sum / values.length;
}

const distinctValues = (values: readonly Value[]): Value[] => [
  ...new Map(values.map((each) => [String(each), each])).values(),
];

const truncation: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const truncatingFunctions: Readonly<Record<string, number>> = {
  tostartofsecond: 1000,
  tostartofminute: 60_000,
  tostartoffiveminutes: 300_000,
  tostartoftenminutes: 600_000,
  tostartoffifteenminutes: 900_000,
  tostartofhour: 3_600_000,
  tostartofday: 86_400_000,
};

function call(name: string, args: readonly Value[], { now }: Context): Value {
  const [first = null, second = null, third = null] = args;
  const text = first instanceof Date ? first.toISOString() : String(first ?? '');
  if (Object.hasOwn(truncatingFunctions, name)) return truncated(first, truncatingFunctions[name] ?? 1);
  const conversion = /^to(?:u?int\d+|float\d+)(?<or>orzero|ornull)?$/.exec(name);
  if (conversion !== null) return converted(first, conversion.groups?.or !== 'ornull');
  switch (name) {
    case 'timestamp_trunc':
    case 'datetime_trunc':
      return truncated(first, truncation[String(second).toLowerCase()] ?? 1);
    case 'tostring':
      return first === null ? null : text;
    case 'todatetime':
    case 'todatetime64':
    case 'timestamp':
      return dateOf(first);
    case 'cast':
      return /int|float|numeric/.test(String(second))
        ? converted(first, false)
        : first === null
          ? null
          : text;
    case 'now':
    case 'current_timestamp':
      return new Date(now);
    case 'lower':
      return first === null ? null : text.toLowerCase();
    case 'upper':
      return first === null ? null : text.toUpperCase();
    case 'length':
      return text.length;
    case 'startswith':
    case 'starts_with':
      return text.startsWith(String(second));
    case 'endswith':
    case 'ends_with':
      return text.endsWith(String(second));
    case 'position':
      return text.indexOf(String(second)) + 1;
    case 'coalesce':
    case 'ifnull':
      return args.find((each) => each !== null) ?? null;
    case 'if':
      return first === true ? second : third;
    case 'round':
      return first === null
        ? null
        : Number(Number(first).toFixed(Math.min(20, Math.max(0, Number(second ?? 0)))));
    default:
      throw new LogQueryError(`Log queries don't support the function ${name}.`);
  }
}

function converted(value: Value, zero: boolean): number | null {
  const number = value === null || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : zero ? 0 : null;
}

function truncated(value: Value, ms: number): Date | null {
  const date = dateOf(value);
  return date && new Date(Math.floor(date.getTime() / ms) * ms);
}

function dateOf(value: Value): Date | null {
  if (value === null || typeof value === 'boolean') return null;
  if (value instanceof Date) return value;
  const text = String(value).trim();
  const isPlain = /^\d{4}-\d\d-\d\d[ T][\d:.]+$/.test(text);
  const date = new Date(isPlain ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(date.getTime()) ? null : date;
}

function binary(operator: string, left: Value, rightOf: () => Value): Value {
  if (operator === 'and')
    return left === true ? rightOf() : left === null && rightOf() !== false ? null : false;
  if (operator === 'or') return left === true ? true : rightOf() === true ? true : left;
  const right = rightOf();
  if (left === null || right === null) return null;
  if (operator === 'like' || operator === 'ilike')
    return isLike(String(left), String(right), operator === 'ilike');
  if (operator === '||') return `${left}${right}`;
  if ('+-*/%'.includes(operator)) return arithmetic(operator, left, right);
  const order = compare(left, right);
  if (order === undefined) return null;
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
    case '<>':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  const [a, b] = [Number(left), Number(right)];
  const result =
    operator === '+'
      ? a + b
      : operator === '-'
        ? a - b
        : operator === '*'
          ? a * b
          : operator === '/'
            ? a / b
            : a % b;
  if (!Number.isFinite(result)) return null;
  return left instanceof Date && !(right instanceof Date) ? new Date(result) : result;
}

/** Compares as dates or numbers if one of the values is a date or a number. Returns undefined if that isn't possible. */
function compare(left: Value, right: Value): number | undefined {
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1;
  if (left instanceof Date || right instanceof Date) {
    const [a, b] = [dateOf(left)?.getTime(), dateOf(right)?.getTime()];
    return a === undefined || b === undefined ? undefined : a - b;
  }
  if (typeof left === 'number' || typeof right === 'number') {
    const difference = Number(left) - Number(right);
    return Number.isNaN(difference) ? undefined : difference;
  }
  const [a, b] = [String(left), String(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Matches a LIKE pattern without a regular expression, whose time could grow exponentially with the pattern. */
export function isLike(text: string, pattern: string, ignoresCase: boolean): boolean {
  const [value, wanted] = ignoresCase ? [text.toLowerCase(), pattern.toLowerCase()] : [text, pattern];
  let [at, star, mark] = [0, -1, 0];
  let index = 0;
  while (at < value.length) {
    if (wanted[index] === '%') {
      star = index++;
      mark = at;
    } else if (index < wanted.length && (wanted[index] === '_' || wanted[index] === value[at])) {
      at++;
      index++;
    } else if (star >= 0) {
      index = star + 1;
      at = ++mark;
    } else return false;
  }
  while (wanted[index] === '%') index++;
  return index === wanted.length;
}
