/**
 * Puts an answer together: the rights that are needed, the policies with the values of their parts for this row and
 * persona, what follows from them, and what the database really does.
 */
import type { Database, Queryable, Setting, Transaction } from '../../database/types.ts';
import { ConsoleError } from '../errors.ts';
import { asIdentity, type Identity } from '../persona/act.ts';
import { parseExpression } from './core/expression.ts';
import { concerns, conditionOf, type Explanation, explain, gatesOf, passes } from './core/gates.ts';
import type { Gate, GatePlan, JudgedPolicy, Need, Operation, Policy, Security } from './core/types.ts';
import { evaluate } from './evaluate.ts';
import { findRelation, findSecurity, listPolicies, listSources, type RelationFacts } from './facts.ts';
import { listNeeds, usesOf } from './needs.ts';
import { type Rows, readRows, type WholeRow } from './rows.ts';
import type { Asked } from './statement.ts';
import { type Truth, tryIt } from './truth.ts';

/** Each statement of an answer. */
const timeout: Setting = ['statement_timeout', '10000'];
/** Views of views of views … */
const maxDepth = 5;

export interface Answer {
  readonly relation: Pick<RelationFacts, 'schema' | 'name' | 'kind' | 'owner' | 'rls' | 'forced'>;
  readonly operation: Operation;
  readonly role: string;
  /** Of the claims, for whoever reads the answer. */
  readonly persona: string;
  /** False: there is no such role. */
  readonly roleExists: boolean;
  readonly needs: readonly Need[];
  readonly security: Security;
  readonly gates: readonly Gate[];
  readonly before: WholeRow['cells'] | null;
  readonly after: WholeRow['cells'] | null;
  readonly through: readonly Through[];
  readonly explanation: Explanation;
  readonly truth: Truth;
  /** The explanation comes to what the database did. If not, something else decides: a constraint, a trigger, a view. */
  readonly agrees: boolean;
}

/** A relation behind a view. */
export interface Through {
  readonly schema: string;
  readonly name: string;
  readonly kind: RelationFacts['kind'];
  /** The role it is read as: the view's owner, or whoever asks. */
  readonly role: string;
  readonly mayRead: boolean;
  readonly security: Security;
  /** Of its SELECT policies that apply to that role. */
  readonly policies: readonly {
    readonly name: string;
    readonly permissive: boolean;
    readonly using: string;
  }[];
  readonly depth: number;
}

export async function why(
  database: Database,
  db: Queryable,
  name: { readonly schema: string; readonly name: string },
  asked: Asked,
  identity: Identity,
): Promise<Answer> {
  const relation = await findRelation(db, name);
  if (relation === undefined)
    throw new ConsoleError('not_found', { message: `There is no table ${name.schema}.${name.name}.` });
  checkNames(relation, asked);
  const { role } = identity;
  // Where a view asks as whoever uses it, the table behind it is what is judged.
  const base = (await judgedInstead(db, relation, asked)) ?? relation;
  const found = await findSecurity(db, base, role);
  const policies = found === undefined ? [] : await listPolicies(db, base.oid, role);
  const plans = found === 'on' ? gatesOf(asked.operation, asked.returned.length > 0) : [];
  const rows = await readRows(database, base, asked, identity, timeout);
  const gates = await judge(database, base, plans, policies, rows, identity);
  const concerned = policies.filter((policy) => plans.some(({ command }) => concerns(policy, command)));
  const needs =
    found === undefined
      ? []
      : await listNeeds(
          db,
          relation,
          role,
          usesOf(asked.operation, usedBy(asked)),
          asked.operation === 'insert',
          concerned,
        );
  const explanation = explain({
    holdsEverything: found !== undefined && needs.every(({ held }) => held),
    security: found ?? 'off',
    operation: asked.operation,
    rowExists: rows.before !== undefined,
    gates,
  });
  const truth = await tryIt(database, relation, asked, identity, timeout);
  const { schema, kind, owner, rls, forced } = relation;
  return {
    relation: { schema, name: relation.name, kind, owner, rls, forced },
    operation: asked.operation,
    role,
    persona: identity.name,
    roleExists: found !== undefined,
    needs,
    security: found ?? 'off',
    gates,
    before: rows.before?.cells ?? null,
    after: rows.after?.cells ?? null,
    through: found === undefined ? [] : await behind(db, relation, role, 1),
    explanation,
    truth,
    agrees: explanation.verdict === truth.verdict,
  };
}

/** The one table behind a `security_invoker` view that has all its columns that are spoken of. */
async function judgedInstead(
  db: Queryable,
  view: RelationFacts,
  { key, values, returned }: Asked,
): Promise<RelationFacts | undefined> {
  if (view.kind !== 'view' || !view.invoker) return undefined;
  const [source, second] = await listSources(db, view.oid);
  if (source === undefined || second !== undefined) return undefined;
  const table = await findRelation(db, source);
  if (table === undefined || table.kind !== 'table') return undefined;
  const names = new Set(table.columns.map(({ name }) => name));
  return [...Object.keys(key), ...Object.keys(values), ...returned].every((name) => names.has(name))
    ? table
    : undefined;
}

const usedBy = ({ key, values, returned }: Asked) => ({
  keys: Object.keys(key),
  written: Object.keys(values),
  returned,
});

/** Names become identifiers: only those the table has. */
function checkNames(relation: RelationFacts, { operation, key, values, returned }: Asked): void {
  const columns = new Set(relation.columns.map(({ name }) => name));
  const unknown = [...Object.keys(key), ...Object.keys(values), ...returned].find(
    (name) => !columns.has(name),
  );
  if (unknown !== undefined)
    throw new ConsoleError('bad_request', { message: `${relation.name} has no column ${unknown}.` });
  if (operation !== 'insert' && Object.keys(key).length === 0)
    throw new ConsoleError('bad_request', { message: 'Say which row: the key is empty.' });
  if (operation === 'update' && Object.keys(values).length === 0)
    throw new ConsoleError('bad_request', { message: 'Say what is to change: there are no values.' });
}

async function judge(
  database: Database,
  relation: RelationFacts,
  plans: readonly GatePlan[],
  policies: readonly Policy[],
  rows: Rows,
  identity: Identity,
): Promise<Gate[]> {
  if (plans.length === 0) return [];
  return asIdentity(
    database,
    identity,
    async (tx) => {
      const gates: Gate[] = [];
      for (const plan of plans) {
        const row = plan.row === 'old' ? rows.before : rows.after;
        const judged: JudgedPolicy[] = [];
        for (const policy of policies.filter((each) => concerns(each, plan.command)))
          judged.push(await judgePolicy(tx, relation, plan, policy, row));
        gates.push({ ...plan, policies: judged, passes: row === undefined ? null : passes(judged) });
      }
      return gates;
    },
    { end: 'rollback', readOnly: plans.every(({ row }) => row === 'old'), settings: [timeout] },
  );
}

async function judgePolicy(
  tx: Transaction,
  relation: RelationFacts,
  plan: GatePlan,
  policy: Policy,
  row: WholeRow | undefined,
): Promise<JudgedPolicy> {
  const { name, permissive, command, roles, applies, functions } = policy;
  const facts = { name, permissive, command, roles, applies, functions };
  if (!applies || row === undefined) return { ...facts, value: null, error: null, tree: undefined };
  const source = { relation, row: row.composite };
  const tree = await evaluate(tx, source, parseExpression(conditionOf(policy, plan.clause)));
  return { ...facts, value: tree.value, error: tree.error, tree };
}

/** What a view reads, and as whom. */
async function behind(db: Queryable, view: RelationFacts, asker: string, depth: number): Promise<Through[]> {
  if (view.kind !== 'view' || depth > maxDepth) return [];
  const role = view.invoker ? asker : view.owner;
  const found: Through[] = [];
  for (const { oid } of await listSources(db, view.oid)) {
    const source = await findRelation(db, { oid });
    if (source === undefined) continue;
    const security = (await findSecurity(db, source, role)) ?? 'off';
    const policies = security === 'on' ? await listPolicies(db, oid, role) : [];
    const needs = await listNeeds(db, source, role, [{ privilege: 'SELECT', columns: [] }], false, []);
    found.push({
      schema: source.schema,
      name: source.name,
      kind: source.kind,
      role,
      mayRead: needs.filter(({ kind }) => kind !== 'schema').every(({ held }) => held),
      security,
      policies: policies
        .filter((policy) => policy.applies && concerns(policy, 'select'))
        .map((policy) => ({
          name: policy.name,
          permissive: policy.permissive,
          using: policy.using ?? 'true',
        })),
      depth,
    });
    // Within a view everything is checked as that role.
    found.push(...(await behind(db, source, role, depth + 1)));
  }
  return found;
}
