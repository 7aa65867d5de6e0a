/**
 * Parses postgres_changes subscriptions, which are entries with a filter in the form `column=[not.]op.value[,…]`. Error
 * messages are the same as upstream's (realtime, August 2026) because clients display them.
 */

export const operators = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'like',
  'ilike',
  'is',
  'match',
  'imatch',
  'isdistinct',
] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  readonly column: string;
  readonly operator: Operator;
  /** For `in`, an array literal such as `{a,b}`. */
  readonly value: string;
  readonly negate: boolean;
}

export type Action = 'INSERT' | 'UPDATE' | 'DELETE';

export interface ChangeRequest {
  readonly action: Action | '*';
  /** A LIKE pattern without escape characters, or `*`. The same applies to `table`. */
  readonly schema: string;
  readonly table: string;
  readonly conditions: readonly Condition[];
  /** Undefined if all columns are selected. */
  readonly select: readonly string[] | undefined;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

const fault = (message: string): { ok: false; message: string } => ({ ok: false, message });

/** Parses a subscription entry: the event, schema, table, filter and selected columns. */
export function parseChangeRequest(entry: Readonly<Record<string, unknown>>): Parsed<ChangeRequest> {
  const select = parseSelect(entry.select);
  if (!select.ok) return select;
  const names = parseNames(entry);
  if (!names.ok) return names;
  const { schema, table, filter } = names.value;
  const conditions = filter === undefined ? { ok: true as const, value: [] } : parseFilter(filter);
  if (!conditions.ok) return fault(`Error parsing \`filter\` params: ${conditions.message}`);
  if (select.value !== undefined && (schema === '*' || table === '*')) {
    return fault(
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    );
  }
  return {
    ok: true,
    value: {
      action: actionOf(entry.event),
      schema,
      table,
      conditions: conditions.value,
      select: select.value,
    },
  };
}

function parseNames(
  entry: Readonly<Record<string, unknown>>,
): Parsed<{ schema: string; table: string; filter: string | undefined }> {
  const { schema, table, filter } = entry;
  const has = (name: string): boolean => Object.hasOwn(entry, name);
  if (
    typeof schema === 'string' &&
    typeof table === 'string' &&
    (typeof filter === 'string' || !has('filter'))
  ) {
    return { ok: true, value: { schema, table, filter: filter as string | undefined } };
  }
  if (typeof schema === 'string' && !has('table') && !has('filter')) {
    return { ok: true, value: { schema, table: '*', filter: undefined } };
  }
  if (typeof table === 'string' && !has('schema') && !has('filter')) {
    return { ok: true, value: { schema: 'public', table, filter: undefined } };
  }
  const shown = has('user_token') || has('auth_token') ? '<redacted>' : JSON.stringify(entry);
  return fault(
    `No subscription params provided. Please provide at least a \`schema\` or \`table\` to subscribe to: ${shown}`,
  );
}

function parseSelect(value: unknown): Parsed<readonly string[] | undefined> {
  if (typeof value === 'string') {
    return fault(
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    );
  }
  if (!Array.isArray(value)) return { ok: true, value: undefined };
  const names = value.filter((name): name is string => typeof name === 'string');
  return { ok: true, value: names.length === 0 ? undefined : names };
}

function actionOf(value: unknown): Action | '*' {
  const upper = typeof value === 'string' ? value.toUpperCase() : '*';
  return upper === 'INSERT' || upper === 'UPDATE' || upper === 'DELETE' ? upper : '*';
}

/** Parses comma-separated conditions. A filter that consists only of whitespace contains no conditions. */
export function parseFilter(filter: string): Parsed<readonly Condition[]> {
  const trimmed = filter.trim();
  if (trimmed === '') return { ok: true, value: [] };
  const conditions: Condition[] = [];
  for (const segment of splitConditions(trimmed)) {
    const condition = parseCondition(segment.trim());
    if (!condition.ok) return condition;
    conditions.push(condition.value);
  }
  return { ok: true, value: conditions };
}

/**
 * Splits the text at commas outside parentheses and quotes. A quote character opens a quoted value only after `.`, `(`
 * or `,`.
 */
function splitConditions(filter: string): string[] {
  const segments: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < filter.length; at++) {
    const char = filter[at];
    const before = at === start ? '' : (filter[at - 1] as string);
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"' && before !== '' && '.(,'.includes(before)) quoted = true;
    else if (char === '(') depth++;
    else if (char === ')') depth = Math.max(0, depth - 1);
    else if (char === ',' && depth === 0) {
      segments.push(filter.slice(start, at));
      start = at + 1;
    }
  }
  segments.push(filter.slice(start));
  return segments;
}

function parseCondition(segment: string): Parsed<Condition> {
  if (segment === '') return fault('filter must not contain empty segments (check for extra commas)');
  const [column, rest] = cut(segment, '=');
  if (rest === undefined) return fault(inspected([column]));
  const negate = rest.startsWith('not.');
  const [operator, value] = cut(negate ? rest.slice(4) : rest, '.');
  if (value === undefined) return fault(inspected([operator]));
  if (!isOperator(operator)) return fault(inspected([operator, value]));
  if (operator !== 'in') {
    const operand = unquote(value);
    if ((operator === 'match' || operator === 'imatch') && hasBackReference(operand))
      return fault(`${operator} filter must not contain back references`);
    return { ok: true, value: { column, operator, value: operand, negate } };
  }
  if (value.length < 2 || !value.startsWith('(') || !value.endsWith(')')) {
    return fault('`in` filter value must be wrapped by parentheses');
  }
  return { ok: true, value: { column, operator, value: `{${value.slice(1, -1)}}`, negate } };
}

/**
 * Whether a regular expression refers to the text of an earlier group. With back references, a match can take
 * exponential time in the length of the value, and this time would delay the changes for all subscribers.
 */
const hasBackReference = (pattern: string): boolean => /^(?:[^\\]|\\[^1-9])*\\[1-9]/.test(pattern);

function isOperator(text: string): text is Operator {
  return (operators as readonly string[]).includes(text);
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Formats a list as upstream does. */
function inspected(parts: readonly string[]): string {
  return `[${parts.map((part) => JSON.stringify(part)).join(', ')}]`;
}

/** Removes the quotes from a value that is a single quoted string. Other values are returned unchanged. */
function unquote(value: string): string {
  if (!value.startsWith('"')) return value;
  let content = '';
  for (let at = 1; at < value.length; at++) {
    const char = value[at] as string;
    if (char === '\\' && at + 1 < value.length) content += value[++at];
    else if (char === '"') return at === value.length - 1 ? content : value;
    else content += char;
  }
  return value;
}

/** Whether a schema or table name matches a LIKE pattern without escape characters (`*` matches everything). */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  if (!/[%_]/.test(pattern)) return false;
  const source = [...pattern]
    .map((char) => (char === '%' ? '.*' : char === '_' ? '.' : char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`, 'su').test(name);
}

/** Describes the request in the form of upstream's messages. */
export function describeRequest(request: ChangeRequest): string {
  const filters = request.conditions.map(
    ({ column, operator, value, negate }) =>
      `{${JSON.stringify(column)}, ${JSON.stringify(operator)}, ${JSON.stringify(value)}, ${negate}}`,
  );
  const select = request.select === undefined ? 'nil' : inspected(request.select);
  return `event: ${request.action}, schema: ${request.schema}, table: ${request.table}, filters: [${filters.join(', ')}], select: ${select}`;
}
