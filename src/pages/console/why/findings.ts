/** Collects the privileges, the policies with their values, and the rows, before the statement itself runs. */
import type { Database, Queryable, Setting } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import type { Gate, Need } from './contract.ts';
import { concerns, gatesOf } from './core/gates.ts';
import { evaluatePolicies } from './evaluate-policies.ts';
import { findSecurity, listPolicies, type RelationFacts } from './facts.ts';
import { listNeeds, usesOf } from './needs.ts';
import { readRows, type WholeRow } from './rows.ts';
import type { WhyStatement } from './statement.ts';

export interface Surroundings {
  readonly database: Database;
  /** The connection that is used to query the catalogs. */
  readonly db: Queryable;
  readonly identity: Identity;
  /** The timeout for each statement. */
  readonly timeout: Setting;
  /** Whether the operator may read rows in a schema. */
  readonly mayRead: (schema: string) => boolean;
}

export interface Findings {
  readonly needs: readonly Need[];
  readonly gates: readonly Gate[];
  readonly before: WholeRow['cells'] | null;
  readonly after: WholeRow['cells'] | null;
}

/**
 * Collects the findings for a table. `role` is the role whose privileges and policies are checked. If this role doesn't
 * exist, its privileges aren't checked.
 */
export async function findTable(
  { database, db, identity, timeout, mayRead }: Surroundings,
  relation: RelationFacts,
  role: string,
  statement: WhyStatement,
): Promise<Findings> {
  const { operation, key, values, returned } = statement;
  const security = await findSecurity(db, relation, role);
  const policies = security === undefined ? [] : await listPolicies(db, relation.oid, role);
  const plans = security === 'on' ? gatesOf(operation, returned.length > 0) : [];
  const rows = await readRows(database, relation, statement, { identity, timeout });
  const gates = await evaluatePolicies(
    database,
    { relation, role, plans, policies, rows, mayRead },
    identity,
    timeout,
  );
  const concerned = policies.filter((policy) => plans.some(({ command }) => concerns(policy, command)));
  const uses = usesOf(operation, { keys: Object.keys(key), written: Object.keys(values), returned });
  return {
    needs:
      security === undefined
        ? []
        : await listNeeds(db, relation, role, { uses, inserts: operation === 'insert', policies: concerned }),
    gates,
    before: rows.before?.cells ?? null,
    after: rows.after?.cells ?? null,
  };
}
