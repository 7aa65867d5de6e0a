/**
 * Determines the privileges that a plan requires. The privileges are looked up after a permission error. The module has
 * no side effects.
 */

import { eachLevel } from '../core/plan/tree.ts';
import {
  type CrudPlan,
  columnsOfFilter,
  type PlanColumn,
  type ReadPlan,
  type WritePlan,
} from '../core/plan/types.ts';
import type { QualifiedName } from '../schema-cache/types.ts';

export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/**
 * A privilege that the plan requires on a relation. If `columns` is empty, the privilege on any column is sufficient,
 * except for DELETE.
 */
export interface RequiredPrivilege {
  readonly schema: string;
  readonly name: string;
  readonly privilege: Privilege;
  /** The names of the columns that the request uses. The names can include those of computed columns. */
  readonly columns: readonly string[];
  /** Whether the privilege is required on all columns (`*`). */
  readonly every: boolean;
}

export interface RequiredPrivileges {
  readonly relations: readonly RequiredPrivilege[];
  /** The called function and its parameter names. */
  readonly routine: (QualifiedName & { readonly parameters: readonly string[] }) | undefined;
  readonly defaults: Defaults | undefined;
}

/** A table in which column defaults may use sequences. */
export interface Defaults extends QualifiedName {
  /** The columns whose value the request provides. */
  readonly given: readonly string[];
  /**
   * Whether the sequences of identity columns are included. PostgreSQL normally doesn't require privileges on these
   * sequences, but with `missing=default`, it does.
   */
  readonly identities: boolean;
}

/**
 * Returns the privileges that a plan requires.
 *
 * @example
 * requiredPrivilegesOf(plan).relations; // [{ schema: 'public', name: 'notes', privilege: 'SELECT', columns: ['id'], every: false }]
 */
export function requiredPrivilegesOf(plan: CrudPlan): RequiredPrivileges {
  const columns = new Map<string, { of: QualifiedName; privilege: Privilege; names: Set<string> }>();
  const add = (of: QualifiedName, privilege: Privilege, names: Iterable<string>) => {
    const key = JSON.stringify([of.schema, of.name, privilege]);
    const found = columns.get(key) ?? { of, privilege, names: new Set<string>() };
    for (const name of names) found.names.add(name);
    columns.set(key, found);
  };
  addReadPrivileges(plan.read, add);
  if (plan.kind === 'write') addWritePrivileges(plan.write, add);
  const relations = [...columns.values()].map(({ of, privilege, names }) => ({
    schema: of.schema,
    name: of.name,
    privilege,
    columns: [...names].filter((name) => name !== '*'),
    every: names.has('*'),
  }));
  return { relations, routine: routineOf(plan), defaults: defaultsOf(plan) };
}

type Add = (of: QualifiedName, privilege: Privilege, names: Iterable<string>) => void;

function addReadPrivileges(root: ReadPlan, add: Add): void {
  // Whether the name denotes a relation. The result of a write or call has no schema, and reading it doesn't require
  // any privilege.
  const isRelation = ({ schema }: QualifiedName) => schema !== '';
  const byAlias = new Map<string, QualifiedName>();
  eachLevel(root, (level) => {
    if (level.fromAlias !== undefined) byAlias.set(level.fromAlias, level.from);
  });
  eachLevel(root, (level) => {
    if (!isRelation(level.from) || level.relationship?.kind === 'computed') return;
    add(level.from, 'SELECT', [
      ...level.columns.filter((column) => !countsRows(column)).map(({ field }) => field.name),
      ...level.where.flatMap(columnsOfFilter),
      ...level.order.filter(({ relation }) => relation === undefined).map(({ field }) => field.name),
    ]);
    for (const [of, column] of level.joinConditions.flatMap(({ left, right }) => [left, right])) {
      const relation = isRelation(of) ? of : byAlias.get(of.name);
      if (relation !== undefined && isRelation(relation)) add(relation, 'SELECT', [column]);
    }
  });
}

/** Whether the column is `count()`, which counts rows and doesn't read any column. */
const countsRows = ({ aggregate, field }: PlanColumn): boolean =>
  aggregate === 'count' && field.name === '*' && !field.fullRow;

function addWritePrivileges(write: WritePlan, add: Add): void {
  const { table, mutation } = write;
  const body = write.body.columns.map(({ name }) => name);
  const read = [...write.where.flatMap(columnsOfFilter), ...write.returning];
  if (mutation === 'delete') add(table, 'DELETE', []);
  if (mutation === 'update') add(table, 'UPDATE', body);
  if (mutation === 'insert' || mutation === 'put') {
    add(table, 'INSERT', body);
    // The role needs the SELECT privilege on the conflict columns, because they are read to detect conflicts.
    read.push(...(write.conflict?.columns ?? []));
    const updates = write.conflict?.resolution === 'merge-duplicates' && write.conflict.columns.length > 0;
    if (updates && body.length > 0) add(table, 'UPDATE', body);
  }
  if (read.length > 0) add(table, 'SELECT', read);
}

function routineOf(plan: CrudPlan): RequiredPrivileges['routine'] {
  if (plan.kind !== 'call') return undefined;
  const { schema, name, parameters } = plan.call.routine;
  return { schema, name, parameters: parameters.map((parameter) => parameter.name) };
}

function defaultsOf(plan: CrudPlan): RequiredPrivileges['defaults'] {
  if (plan.kind !== 'write') return undefined;
  const { mutation, table, body } = plan.write;
  if (mutation !== 'insert' && mutation !== 'put') return undefined;
  const given = body.applyDefaults ? [] : body.columns.map((column) => column.name);
  return { ...table, given, identities: body.applyDefaults };
}
