/**
 * Explains access to a view's row: the privilege on the view, and for each underlying table the privileges and policies of the
 * role that reads it, evaluated on the rows from which the view's row is computed.
 */
import type { PostgresErrorShape } from '../../database/types.ts';
import type { Gate, Need, Operation, Through } from './contract.ts';
import { gatesOf } from './core/gates.ts';
import { findSecurity, findView, listPolicies, type RelationFacts } from './facts.ts';
import { type Findings, findTable, type Surroundings } from './findings.ts';
import { judge } from './judge.ts';
import { listNeeds, type Use, usesOf } from './needs.ts';
import { readRows, readViewRow } from './rows.ts';
import type { Asked, Cells } from './statement.ts';
import { type Source, sourcesOf, writtenTable } from './views.ts';

export interface ViewFindings extends Findings {
  readonly through: readonly Through[];
  /** Whether a policy that may decide couldn't be evaluated. */
  readonly isUnsure: boolean;
}

export async function throughView(
  around: Surroundings,
  view: RelationFacts,
  asked: Asked,
  mayRead: (schema: string) => boolean,
): Promise<ViewFindings> {
  const { db, identity } = around;
  const sources = await sourcesOf(db, view, identity.role);
  const mayLook = sources.every(({ relation }) => mayRead(relation.schema));
  const own = await listNeeds(db, view, identity.role, usesIn(asked), false, []);
  const isRead = asked.operation === 'select';
  const target = isRead ? undefined : writtenTable(sources);
  const written = target === undefined ? undefined : askedOf(target, asked);
  const seen = asked.operation === 'insert' ? undefined : await rowOfView(around, view, asked, mayLook);
  const needs: Need[] = [...own];
  const gates: Gate[] = [];
  const through: Through[] = [];
  let isUnsure = !isRead && written === undefined;
  let rows: Pick<Findings, 'before' | 'after'> = { before: seen?.cells ?? null, after: null };
  for (const source of sources) {
    const { relation, role, depth } = source;
    const security = (await findSecurity(db, relation, role)) ?? 'off';
    // An insert doesn't read its target table.
    const uses: readonly Use[] =
      source === target && asked.operation === 'insert'
        ? []
        : [{ privilege: 'SELECT', columns: source.used }];
    const rights = (await listNeeds(db, relation, role, uses, false, [])).filter(isChecked);
    needs.push(...rights);
    let judged: readonly Gate[] | undefined = [];
    if (source === target && written !== undefined) {
      const found = await judgedWrite(around, source, written);
      needs.push(...found.needs.filter(isChecked));
      judged = found.gates;
      rows = { before: seen === undefined ? null : found.before, after: found.after };
    } else if (security === 'on' && (isRead || asked.operation !== 'insert') && relation.kind !== 'view') {
      judged = mayLook && seen !== undefined ? await judgedRead(around, source, seen.texts) : undefined;
    }
    if (judged === undefined) isUnsure = true;
    gates.push(...(judged ?? []));
    through.push({
      schema: relation.schema,
      name: relation.name,
      kind: relation.kind,
      role,
      mayRead: rights.every(({ held }) => held),
      security,
      isJudged: judged !== undefined,
      depth,
    });
  }
  return { needs: unique(needs), gates, ...rows, through, isUnsure };
}

/** Behind a view, no privilege on the schema is required. */
const isChecked = ({ kind }: Need): boolean => kind !== 'schema';

const unique = (needs: readonly Need[]): Need[] => [
  ...new Map(needs.map((need) => [`${need.fix}`, need])).values(),
];

const usesIn = ({ operation, key, values, returned }: Asked): Use[] =>
  usesOf(operation, { keys: Object.keys(key), written: Object.keys(values), returned });

/** Translates the question to the table's own columns. Returns undefined if the view computes one of the columns. */
function askedOf({ shown }: Source, asked: Asked): Asked | undefined {
  const names = new Map([...shown].map(([column, name]) => [name, column]));
  const spoken = [...Object.keys(asked.key), ...Object.keys(asked.values), ...asked.returned];
  if (!spoken.every((name) => names.has(name))) return undefined;
  const nameOf = (name: string): string => names.get(name) ?? name;
  const renamed = (cells: Cells): Cells =>
    Object.fromEntries(Object.entries(cells).map(([name, value]) => [nameOf(name), value]));
  return {
    operation: asked.operation,
    key: renamed(asked.key),
    values: renamed(asked.values),
    returned: asked.returned.map(nameOf),
  };
}

const judgedWrite = (around: Surroundings, { relation, role }: Source, asked: Asked): Promise<Findings> =>
  findTable(around, relation, role, asked);

/** Returns the gates of the source's row, or undefined if the row can't be identified. */
async function judgedRead(
  { database, db, identity, timeout }: Surroundings,
  { relation, role, shown, isKept }: Source,
  row: Cells,
): Promise<Gate[] | undefined> {
  const keys = relation.columns.filter((column) => column.key).map(({ name }) => name);
  if (keys.length === 0 || !keys.every((name) => shown.has(name))) return undefined;
  const key = Object.fromEntries(keys.map((name) => [name, row[shown.get(name) ?? ''] ?? null]));
  // The nullable side of an outer join has no row.
  if (Object.values(key).includes(null)) return [];
  const operation: Operation = 'select';
  const asked = { operation, key, values: {}, returned: [] };
  const policies = await listPolicies(db, relation.oid, role);
  try {
    const rows = await readRows(database, relation, asked, identity, timeout);
    const plans = gatesOf('select', false);
    const gates = await judge(database, { relation, role, plans, policies, rows }, identity, timeout);
    return gates.some(({ passes }) => isDoubtful(passes, isKept, role === identity.role)) ? undefined : gates;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/**
 * Checks the view itself: an outer join returns a row even without the source's row. Names are resolved as the view's owner,
 * who may lack a schema privilege that the stored policy doesn't need.
 */
const isDoubtful = (passes: Gate['passes'], isKept: boolean, isAsker: boolean): boolean =>
  (passes !== true && isKept) || (passes === null && !isAsker);

/** Whether we can't switch to the view's owner. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error as Partial<PostgresErrorShape>).code === '42501';

/**
 * Reads the row with the view's query as the tables' owner, so that hidden rows are visible. If that isn't allowed,
 * reads the view.
 */
async function rowOfView(around: Surroundings, view: RelationFacts, asked: Asked, mayLook: boolean) {
  const text = mayLook ? (await findView(around.db, view.oid))?.text : undefined;
  return readViewRow(around, view, asked, text);
}
