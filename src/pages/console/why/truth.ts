/** Runs the statement as the persona, rolls the transaction back, and returns the actual result. */
import type { Database, PostgresErrorShape, Setting } from '../../../platform/database/types.ts';
import type { Identity } from '../persona/act.ts';
import type { Truth } from './contract.ts';
import type { RelationFacts } from './facts.ts';
import { messageOf } from './scope.ts';
import { inSessionAs } from './session.ts';
import { statementOf, type WhyStatement } from './statement.ts';

const noMessage = { sqlstate: null, message: null, detail: null, hint: null };

export async function tryIt(
  database: Database,
  relation: RelationFacts,
  statement: WhyStatement,
  identity: Identity,
  timeout: Setting,
): Promise<Truth> {
  const isSelect = statement.operation === 'select';
  try {
    const touched = await inSessionAs(
      database,
      identity,
      identity.role,
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
