/**
 * Moves the columns that pg-delta adds with ALTER TABLE into the CREATE TABLE of the same plan. The new table's columns
 * then have the same order as in the compared database. If a column depends on an object that the plan creates after
 * the table, the table is created after that object.
 */
import { type Action, encodeId, type FactBase, type StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';

export function foldColumns(actions: readonly Action[], facts: FactBase): Action[] {
  let result = [...actions];
  for (const action of actions) {
    const table = createdTable(action);
    if (table !== undefined) result = foldTable(result, action, table, facts);
  }
  return result.flatMap(separateEqualKeys);
}

/**
 * If two keys have the same columns, adds the second key in a separate statement, because CREATE TABLE would create
 * only one of them.
 */
function separateEqualKeys(create: Action): Action[] {
  const table = createdTable(create);
  const list = table === undefined ? undefined : findList(create.sql);
  if (table === undefined || list === undefined) return [create];
  const known = new Set<string>();
  const isEqual = (item: string): boolean => {
    const columns = keyOf.exec(item)?.[1];
    if (columns === undefined || !known.has(columns)) {
      if (columns !== undefined) known.add(columns);
      return false;
    }
    return true;
  };
  const items = splitItems(create.sql.slice(list.start, list.end)).map((text) => ({
    text,
    isEqual: isEqual(text),
  }));
  const separate = items.flatMap(({ text, isEqual }): Action[] => {
    const name = /^CONSTRAINT "((?:[^"]|"")*)"/.exec(text)?.[1]?.replaceAll('""', '"');
    if (!isEqual || name === undefined) return [];
    const id: StableId = { kind: 'constraint', schema: table.schema, table: table.name, name };
    const target = `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
    return [{ ...create, sql: `ALTER TABLE ${target} ADD ${text}`, produces: [id] }];
  });
  if (separate.length === 0) return [create];
  const kept = items.filter(({ isEqual }) => !isEqual).map(({ text }) => text);
  const sql = create.sql.slice(0, list.start) + kept.join(', ') + create.sql.slice(list.end);
  return [{ ...create, sql }, ...separate];
}

const keyOf = /^CONSTRAINT "(?:[^"]|"")*" (?:PRIMARY KEY|UNIQUE(?: NULLS NOT DISTINCT)?) (\(.*\))/s;

interface TableId {
  readonly schema: string;
  readonly name: string;
}

function createdTable({ verb, produces, sql }: Action): TableId | undefined {
  if (verb !== 'create' || !/^CREATE (UNLOGGED |FOREIGN )*TABLE /.test(sql)) return undefined;
  const id = produces.find(({ kind }) => kind === 'table' || kind === 'foreignTable');
  return id?.kind === 'table' || id?.kind === 'foreignTable' ? id : undefined;
}

interface AddedColumn {
  readonly action: Action;
  readonly definition: string;
}

function addedColumn(action: Action, { schema, name }: TableId): AddedColumn | undefined {
  const id = action.produces.find((each) => each.kind === 'column');
  if (action.verb !== 'create' || id?.kind !== 'column' || id.schema !== schema || id.table !== name)
    return undefined;
  const definition = /^ALTER (?:FOREIGN )?TABLE (?:ONLY )?.+? ADD COLUMN (".*)$/s.exec(action.sql)?.[1];
  return definition === undefined ? undefined : { action, definition };
}

function foldTable(actions: readonly Action[], create: Action, table: TableId, facts: FactBase): Action[] {
  const all = actions.flatMap((action) => addedColumn(action, table) ?? []);
  if (all.length === 0) {
    // No ALTER TABLE adds columns, so the columns in CREATE TABLE are only sorted.
    const hasColumns = create.produces.some(({ kind }) => kind === 'column');
    const sorted = hasColumns ? merge(create, [], table, facts) : undefined;
    return sorted === undefined ? [...actions] : actions.map((each) => (each === create ? sorted : each));
  }
  const { actions: separated, added } = separateDefaults(actions, create, all, facts);
  return foldAdded(separated, create, { table, added }, facts);
}

function foldAdded(
  actions: readonly Action[],
  create: Action,
  { table, added }: { readonly table: TableId; readonly added: readonly AddedColumn[] },
  facts: FactBase,
): Action[] {
  const at = actions.indexOf(create);
  const columnActions = new Set(added.map(({ action }) => action));
  const last = actions.findLastIndex((action) => columnActions.has(action));
  const between = actions
    .slice(at + 1, last + 1)
    .filter((each) => !added.some(({ action }) => action === each));
  const dependents = dependentsOf([create, ...added.map(({ action }) => action)], between, facts);
  const folded = added.filter(({ action }) => !needsAny(action, dependents, facts));
  if (folded.length === 0) return [...actions];
  const merged = merge(create, folded, table, facts);
  if (merged === undefined) return [...actions];
  const isFolded = (action: Action): boolean => folded.some((column) => column.action === action);
  const unfolded = actions.slice(at + 1, last + 1).filter((each) => !isFolded(each));
  // Columns that aren't moved into CREATE TABLE are added after the table is created, and so are the objects that
  // depend on the table.
  const isLater = (action: Action): boolean =>
    dependents.has(action) || added.some((column) => column.action === action);
  return [
    ...actions.slice(0, at),
    ...unfolded.filter((action) => !isLater(action)),
    merged,
    ...unfolded.filter(isLater),
    ...actions.slice(last + 1),
  ];
}

/**
 * Separates each default that depends on the table through another object, so that it is set after the table is
 * created.
 */
function separateDefaults(
  actions: readonly Action[],
  create: Action,
  added: readonly AddedColumn[],
  facts: FactBase,
): { readonly actions: Action[]; readonly added: AddedColumn[] } {
  const columnActions = new Set(added.map(({ action }) => action));
  const last = actions.findLastIndex((action) => columnActions.has(action));
  const between = actions
    .slice(actions.indexOf(create) + 1, last + 1)
    .filter((action) => !columnActions.has(action));
  const dependents = dependentsOf([create, ...added.map(({ action }) => action)], between, facts);
  let result = [...actions];
  const columns = added.map((column) => {
    const parts = needsAny(column.action, dependents, facts) ? withoutDefault(column, facts) : undefined;
    if (parts === undefined || needsAny(parts.column.action, dependents, facts)) return column;
    result = result.flatMap((each) =>
      each === column.action ? [parts.column.action, parts.setDefault] : [each],
    );
    return parts.column;
  });
  return { actions: result, added: columns };
}

function withoutDefault(
  { action, definition }: AddedColumn,
  facts: FactBase,
): { readonly column: AddedColumn; readonly setDefault: Action } | undefined {
  const isDefault = ({ kind }: StableId): boolean => kind === 'default';
  const id = action.produces.find(isDefault);
  const clause = id === undefined ? undefined : ` DEFAULT ${facts.get(id)?.payload.expr}`;
  if (id?.kind !== 'default' || clause === undefined || !definition.endsWith(clause)) return undefined;
  const sql = action.sql.slice(0, -clause.length);
  const table = sql.slice(0, sql.indexOf(' ADD COLUMN '));
  return {
    column: {
      action: { ...action, sql, produces: action.produces.filter((each) => !isDefault(each)) },
      definition: definition.slice(0, -clause.length),
    },
    setDefault: {
      ...action,
      sql: `${table} ALTER COLUMN ${quoteIdentifier(id.name)} SET${clause}`,
      produces: [id],
      consumes: action.produces.filter((each) => !isDefault(each)),
    },
  };
}

const ids = ({ produces, consumes, destroys, releases }: Action): StableId[] => [
  ...produces,
  ...consumes,
  ...destroys,
  ...releases,
];

/** Returns the keys of the objects that an action depends on, according to the action itself and pg_depend. */
function needsOf(action: Action, facts: FactBase): Set<string> {
  const needs = new Set(ids(action).map(encodeId));
  for (const id of action.produces) for (const { to } of facts.outgoingEdges(id)) needs.add(encodeId(to));
  return needs;
}

/** Returns the actions that depend, directly or indirectly, on the objects that `group` creates. */
function dependentsOf(group: readonly Action[], between: readonly Action[], facts: FactBase): Set<Action> {
  const available = new Set(group.flatMap(({ produces }) => produces.map(encodeId)));
  const dependents = new Set<Action>();
  for (const action of between) {
    const needs = needsOf(action, facts);
    if (![...needs].some((need) => available.has(need))) continue;
    dependents.add(action);
    for (const id of action.produces) available.add(encodeId(id));
  }
  return dependents;
}

function needsAny(action: Action, others: ReadonlySet<Action>, facts: FactBase): boolean {
  const needs = needsOf(action, facts);
  return [...others].some(({ produces }) => produces.some((id) => needs.has(encodeId(id))));
}

function merge(
  create: Action,
  columns: readonly AddedColumn[],
  table: TableId,
  facts: FactBase,
): Action | undefined {
  const list = findList(create.sql);
  if (list === undefined) return undefined;
  const items = [
    ...splitItems(create.sql.slice(list.start, list.end)),
    ...columns.map(({ definition }) => definition),
  ];
  const isConstraint = (item: string): boolean => item.startsWith('CONSTRAINT ');
  const position = (item: string): number => {
    const name = /^"((?:[^"]|"")*)"/.exec(item)?.[1]?.replaceAll('""', '"');
    const { schema } = table;
    const fact = facts.get({ kind: 'column', schema, table: table.name, name: name ?? '' });
    return Number(fact?.payload._position ?? 0);
  };
  const sorted = items.filter((item) => !isConstraint(item)).toSorted((a, b) => position(a) - position(b));
  const text = [...sorted, ...items.filter(isConstraint)].join(', ');
  const all = <K extends 'produces' | 'consumes'>(key: K): StableId[] => [
    ...create[key],
    ...columns.flatMap(({ action }) => action[key]),
  ];
  return {
    ...create,
    sql: create.sql.slice(0, list.start) + text + create.sql.slice(list.end),
    produces: all('produces'),
    consumes: all('consumes'),
  };
}

/** Finds the text inside the first pair of parentheses that isn't in quotes. */
function findList(text: string): { start: number; end: number } | undefined {
  let start: number | undefined;
  for (const { index, character, depth } of structure(text)) {
    if (character === '(' && depth === 1) start ??= index + 1;
    if (character === ')' && depth === 0 && start !== undefined) return { start, end: index };
  }
  return undefined;
}

function splitItems(text: string): string[] {
  const items: string[] = [];
  let start = 0;
  for (const { index, character, depth } of structure(text)) {
    if (character !== ',' || depth !== 0) continue;
    items.push(text.slice(start, index).trim());
    start = index + 1;
  }
  items.push(text.slice(start).trim());
  return items.filter((item) => item !== '');
}

/**
 * Yields the parentheses, brackets and commas that aren't in quotes, each with the number of parentheses and brackets
 * that are open at that position.
 */
function* structure(text: string): Generator<{ index: number; character: string; depth: number }> {
  let depth = 0;
  const token = /E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|[()[\],]/gs;
  for (const { index, 0: character } of text.matchAll(token)) {
    if (character.length > 1) continue;
    if (character === '(' || character === '[') depth++;
    if (character === ')' || character === ']') depth--;
    yield { index, character, depth };
  }
}
