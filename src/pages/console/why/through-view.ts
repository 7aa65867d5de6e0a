/**
 * Explains the persona's access to a row of a view. Lists the required privilege on the view and, for each underlying
 * table, the privileges and policies of the role that reads the table. Policies are evaluated for the rows from which
 * the view's row is computed.
 */
import type { PostgresErrorShape } from '../../../platform/database/types.ts';
import type { Gate, Need, Operation, Through } from './contract.ts';
import { gatesOf } from './core/gates.ts';
import { evaluatePolicies } from './evaluate-policies.ts';
import { findSecurity, findView, listPolicies, type RelationFacts } from './facts.ts';
import { type Findings, findTable, type Surroundings } from './findings.ts';
import { listNeeds, type Use, usesOf } from './needs.ts';
import { readRows, readViewRow } from './rows.ts';
import type { Cells, WhyStatement } from './statement.ts';
import { type Source, sourcesOf, writtenTable } from './views.ts';

export interface ViewFindings extends Findings {
  readonly through: readonly Through[];
  /** Whether there is a policy that might determine the result but couldn't be evaluated. */
  readonly isUnsure: boolean;
}

export async function throughView(
  around: Surroundings,
  view: RelationFacts,
  statement: WhyStatement,
): Promise<ViewFindings> {
  const { db, identity, mayRead } = around;
  const sources = await sourcesOf(db, view, identity.role);
  const mayLook = sources.every(({ relation }) => mayRead(relation.schema));
  const own = await listNeeds(db, view, identity.role, { uses: usesIn(statement) });
  const isRead = statement.operation === 'select';
  const target = isRead ? undefined : writtenTable(sources);
  const written = target === undefined ? undefined : statementOf(target, statement);
  const seen =
    statement.operation === 'insert' ? undefined : await rowOfView(around, view, statement, mayLook);
  const needs: Need[] = [...own];
  const gates: Gate[] = [];
  const through: Through[] = [];
  let isUnsure = !isRead && written === undefined;
  let rows: Pick<Findings, 'before' | 'after'> = { before: seen?.cells ?? null, after: null };
  for (const source of sources) {
    const { relation, role, depth } = source;
    const security = (await findSecurity(db, relation, role)) ?? 'off';
    // An INSERT statement doesn't read the table into which it inserts.
    const uses: readonly Use[] =
      source === target && statement.operation === 'insert'
        ? []
        : [{ privilege: 'SELECT', columns: source.used }];
    const rights = (await listNeeds(db, relation, role, { uses })).filter(isChecked);
    needs.push(...rights);
    let evaluated: readonly Gate[] | undefined = [];
    if (source === target && written !== undefined) {
      const found = await evaluateWrite(around, source, written);
      needs.push(...found.needs.filter(isChecked));
      evaluated = found.gates;
      rows = { before: seen === undefined ? null : found.before, after: found.after };
    } else if (
      security === 'on' &&
      (isRead || statement.operation !== 'insert') &&
      relation.kind !== 'view'
    ) {
      evaluated = mayLook && seen !== undefined ? await evaluateRead(around, source, seen.texts) : undefined;
    }
    if (evaluated === undefined) isUnsure = true;
    gates.push(...(evaluated ?? []));
    through.push({
      schema: relation.schema,
      name: relation.name,
      kind: relation.kind,
      role,
      mayRead: rights.every(({ held }) => held),
      security,
      isEvaluated: evaluated !== undefined,
      depth,
    });
  }
  return { needs: unique(needs), gates, ...rows, through, isUnsure };
}

/** A table behind a view can be read without a privilege on the schema of the table. */
const isChecked = ({ kind }: Need): boolean => kind !== 'schema';

const unique = (needs: readonly Need[]): Need[] => [
  ...new Map(needs.map((need) => [`${need.fix}`, need])).values(),
];

const usesIn = ({ operation, key, values, returned }: WhyStatement): Use[] =>
  usesOf(operation, { keys: Object.keys(key), written: Object.keys(values), returned });

/**
 * Returns the same statement for the underlying table, with the column names of that table. Returns undefined if the
 * view computes one of the columns.
 */
function statementOf({ shown }: Source, statement: WhyStatement): WhyStatement | undefined {
  const names = new Map([...shown].map(([column, name]) => [name, column]));
  const spoken = [...Object.keys(statement.key), ...Object.keys(statement.values), ...statement.returned];
  if (!spoken.every((name) => names.has(name))) return undefined;
  const nameOf = (name: string): string => names.get(name) ?? name;
  const renamed = (cells: Cells): Cells =>
    Object.fromEntries(Object.entries(cells).map(([name, value]) => [nameOf(name), value]));
  return {
    operation: statement.operation,
    key: renamed(statement.key),
    values: renamed(statement.values),
    returned: statement.returned.map(nameOf),
  };
}

const evaluateWrite = (
  around: Surroundings,
  { relation, role }: Source,
  statement: WhyStatement,
): Promise<Findings> => findTable(around, relation, role, statement);

/** Returns the gates for the row of the underlying table. Returns undefined if that row can't be identified. */
async function evaluateRead(
  { database, db, identity, timeout, mayRead }: Surroundings,
  { relation, role, shown, isKept }: Source,
  row: Cells,
): Promise<Gate[] | undefined> {
  const keys = relation.columns.filter((column) => column.key).map(({ name }) => name);
  if (keys.length === 0 || !keys.every((name) => shown.has(name))) return undefined;
  const key = Object.fromEntries(keys.map((name) => [name, row[shown.get(name) ?? ''] ?? null]));
  // If the key contains NULL, an outer join found no matching row in this table.
  if (Object.values(key).includes(null)) return [];
  const operation: Operation = 'select';
  const statement = { operation, key, values: {}, returned: [] };
  const policies = await listPolicies(db, relation.oid, role);
  try {
    const rows = await readRows(database, relation, statement, { identity, timeout });
    const plans = gatesOf('select', false);
    const gates = await evaluatePolicies(
      database,
      { relation, role, plans, policies, rows, mayRead },
      identity,
      timeout,
    );
    return gates.some(({ passes }) => isDoubtful(passes, isKept, role === identity.role)) ? undefined : gates;
  } catch (error) {
    if (isPermissionError(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the view might return the row even though the row doesn't pass this gate. With an outer join, the view
 * returns its row even if this table has no matching row. Also, evaluating policies as the view's owner can cause an
 * error because the owner lacks a schema privilege, even though the stored policy doesn't need this privilege.
 */
const isDoubtful = (passes: Gate['passes'], isKept: boolean, isCaller: boolean): boolean =>
  (passes !== true && isKept) || (passes === null && !isCaller);

/** Whether the error means that switching to the view's owner isn't allowed. */
const isPermissionError = (error: unknown): boolean =>
  error instanceof Error && (error as Partial<PostgresErrorShape>).code === '42501';

/**
 * Reads the row by running the view's query as the operator's database role, so that hidden rows are visible. If
 * running this query isn't allowed, reads the view itself instead.
 */
async function rowOfView(
  around: Surroundings,
  view: RelationFacts,
  statement: WhyStatement,
  mayLook: boolean,
) {
  const text = mayLook ? (await findView(around.db, view.oid))?.text : undefined;
  return readViewRow(around, view, statement, text);
}
