/**
 * What decides about a row of a view: the right to the view, the rights of the role that its tables are read as, and their
 * policies for that role, evaluated on the rows that the view's row is made of.
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
  /** A policy that may decide could not be asked. */
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
    // An insert reads nothing of the table it goes to.
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

/** Behind a view the right to the schema is not asked for. */
const isChecked = ({ kind }: Need): boolean => kind !== 'schema';

const unique = (needs: readonly Need[]): Need[] => [
  ...new Map(needs.map((need) => [`${need.fix}`, need])).values(),
];

const usesIn = ({ operation, key, values, returned }: Asked): Use[] =>
  usesOf(operation, { keys: Object.keys(key), written: Object.keys(values), returned });

/** The question in the table's own columns; undefined where the view computes one of those that are spoken of. */
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

/** The gates of the source's row behind the view's; undefined: which one that is cannot be told. */
async function judgedRead(
  { database, db, identity, timeout }: Surroundings,
  { relation, role, shown, isKept }: Source,
  row: Cells,
): Promise<Gate[] | undefined> {
  const keys = relation.columns.filter((column) => column.key).map(({ name }) => name);
  if (keys.length === 0 || !keys.every((name) => shown.has(name))) return undefined;
  const key = Object.fromEntries(keys.map((name) => [name, row[shown.get(name) ?? ''] ?? null]));
  // The other side of an outer join.
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
 * Without its row an outer join still gives one. And names are looked up by the view's owner here, who may lack the right to
 * a schema that the policy itself, read when it was made, does not need.
 */
const isDoubtful = (passes: Gate['passes'], isKept: boolean, isAsker: boolean): boolean =>
  (passes !== true && isKept) || (passes === null && !isAsker);

/** We may not become the view's owner. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error as Partial<PostgresErrorShape>).code === '42501';

/** As the view's text gives it to the tables' owner, so that what policies hide is there; else as the view gives it. */
async function rowOfView(around: Surroundings, view: RelationFacts, asked: Asked, mayLook: boolean) {
  const text = mayLook ? (await findView(around.db, view.oid))?.text : undefined;
  return readViewRow(around, view, asked, text);
}
