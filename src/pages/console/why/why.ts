/**
 * Explains the result of an operation on a row. The explanation contains the required privileges, the policies with
 * their values for this row and persona, the expected result, and the actual result.
 */
import type { Database, PostgresErrorShape, Queryable, Setting } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { AccessReport, Explanation, Truth } from './contract.ts';
import { explain } from './core/gates.ts';
import { findRelation, findSecurity, findUpdatable, type RelationFacts } from './facts.ts';
import { findTable, type Surroundings } from './findings.ts';
import { readTexts } from './rows.ts';
import { messageOf } from './scope.ts';
import { inSessionAs } from './session.ts';
import { statementOf, type WhyStatement } from './statement.ts';
import { throughView } from './through-view.ts';

/** The timeout of each statement. */
const timeout: Setting = ['statement_timeout', '10000'];

interface Question {
  readonly name: { readonly schema: string; readonly name: string };
  readonly statement: WhyStatement;
  /** The columns that an update sets to their current values. */
  readonly unchanged: readonly string[];
  readonly identity: Identity;
  /**
   * Whether the operator may read rows in a schema. The rows of tables behind a view are read only if the operator may
   * read them.
   */
  readonly mayRead: (schema: string) => boolean;
}

/** Explains an operation and returns the statement that was explained. @throws {ConsoleError} not_found, bad_request */
export async function why(
  database: Database,
  db: Queryable,
  { name, statement: asked, unchanged: unknownValues, identity, mayRead }: Question,
): Promise<{ report: AccessReport; statement: WhyStatement }> {
  const relation = await findRelation(db, name);
  if (relation === undefined)
    throw new ConsoleError('not_found', { message: `The table ${name.schema}.${name.name} doesn't exist.` });
  checkNames(relation, asked, unknownValues);
  const { role } = identity;
  const security = await findSecurity(db, relation, role);
  const setting = { database, db, identity, timeout, mayRead };
  const { statement, unchanged } = await completed(setting, relation, asked, unknownValues);
  const isView = relation.kind === 'view' && security !== undefined;
  const found = isView
    ? await throughView(setting, relation, statement)
    : { ...(await findTable(setting, relation, role, statement)), through: [], isUnsure: false };
  const explained = explain({
    holdsEverything: security !== undefined && found.needs.every(({ held }) => held),
    security: security ?? 'off',
    operation: statement.operation,
    rowExists: found.before !== null,
    isView,
    gates: found.gates,
  });
  const truth = await tryIt(database, relation, statement, { identity, timeout });
  // If a policy on a table behind the view couldn't be evaluated, only the actual result is known.
  const explanation: Explanation =
    found.isUnsure && explained.verdict === 'allowed' && truth.verdict !== 'refused'
      ? { verdict: truth.verdict, reason: 'behind', gate: null }
      : explained;
  const { schema, kind, owner, rls, forced } = relation;
  const report: AccessReport = {
    relation: { schema, name: relation.name, kind, owner, rls, forced },
    operation: statement.operation,
    unchanged,
    role,
    persona: identity.name,
    roleExists: security !== undefined,
    needs: found.needs,
    security: security ?? 'off',
    gates: found.gates,
    before: found.before,
    after: found.after,
    through: found.through,
    explanation,
    truth,
    agrees: explanation.verdict === truth.verdict,
  };
  return { report, statement };
}

/** Checks that the table has these columns, because the column names become part of the statement. */
function checkNames(
  relation: RelationFacts,
  { operation, key, values, returned }: WhyStatement,
  unchanged: readonly string[],
): void {
  const columns = new Set(relation.columns.map(({ name }) => name));
  const unknown = [...Object.keys(key), ...Object.keys(values), ...unchanged, ...returned].find(
    (name) => !columns.has(name),
  );
  if (unknown !== undefined)
    throw new ConsoleError('bad_request', { message: `${relation.name} has no column ${unknown}.` });
  if (operation !== 'insert' && Object.keys(key).length === 0)
    throw new ConsoleError('bad_request', { message: "The row's key is empty." });
}

/**
 * Completes an update whose new values are unknown: the columns are set to their current values. If the update would
 * write no column, it sets one that the role may update. Which rows a role may update depends only on the current row,
 * so the result is useful even without the new values.
 */
async function completed(
  setting: Surroundings,
  relation: RelationFacts,
  statement: WhyStatement,
  asked: readonly string[],
): Promise<{ statement: WhyStatement; unchanged: readonly string[] }> {
  if (statement.operation !== 'update') return { statement, unchanged: [] };
  const { values } = statement;
  let unchanged = asked.filter((name) => !(name in values));
  if (unchanged.length === 0 && Object.keys(values).length === 0) {
    const column = await findUpdatable(setting.db, relation, setting.identity.role);
    if (column === undefined)
      throw new ConsoleError('bad_request', {
        message: `${relation.name} has no column that can be updated.`,
      });
    unchanged = [column];
  }
  if (unchanged.length === 0) return { statement, unchanged };
  const current = await readTexts(setting, relation, statement, unchanged);
  return { statement: { ...statement, values: { ...values, ...current } }, unchanged };
}

const noMessage = { sqlstate: null, message: null, detail: null, hint: null };

/** Runs the statement as the persona, rolls the transaction back, and returns the actual result. */
async function tryIt(
  database: Database,
  relation: RelationFacts,
  statement: WhyStatement,
  { identity, timeout }: { readonly identity: Identity; readonly timeout: Setting },
): Promise<Truth> {
  const isSelect = statement.operation === 'select';
  try {
    const touched = await inSessionAs(
      database,
      { identity, role: identity.role },
      async (tx) => {
        const { rows, commandTag } = await tx.queryText(statementOf(relation, statement));
        // Deferred constraints are also checked.
        if (!isSelect) await tx.exec('set constraints all immediate');
        return isSelect ? rows.length : Number(commandTag.split(' ').at(-1));
      },
      { end: 'rollback', readOnly: isSelect, settings: [timeout] },
    );
    return { verdict: touched > 0 ? 'allowed' : 'hidden', ...noMessage };
  } catch (error) {
    const message = messageOf(error);
    const { code, detail = null, hint = null } = error as PostgresErrorShape;
    return { verdict: 'refused', sqlstate: code, message, detail, hint };
  }
}
