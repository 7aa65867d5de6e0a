/** Runs the statement as the persona, rolls it back, and returns the database's verdict. */
import type { Database, PostgresErrorShape, Setting } from '../../database/types.ts';
import { asIdentity, type Identity } from '../persona/act.ts';
import type { Truth } from './contract.ts';
import { messageOf } from './evaluate.ts';
import type { RelationFacts } from './facts.ts';
import { type Asked, statementOf } from './statement.ts';

const nothingSaid = { sqlstate: null, message: null, detail: null, hint: null };

export async function tryIt(
  database: Database,
  relation: RelationFacts,
  asked: Asked,
  identity: Identity,
  timeout: Setting,
): Promise<Truth> {
  const isSelect = asked.operation === 'select';
  try {
    const touched = await asIdentity(
      database,
      identity,
      async (tx) => {
        const { rows, commandTag } = await tx.queryText(statementOf(relation, asked));
        // Includes deferred constraints.
        if (!isSelect) await tx.exec('set constraints all immediate');
        return isSelect ? rows.length : Number(commandTag.split(' ').at(-1));
      },
      { end: 'rollback', readOnly: isSelect, settings: [timeout] },
    );
    return { verdict: touched > 0 ? 'allowed' : 'hidden', ...nothingSaid };
  } catch (error) {
    const message = messageOf(error);
    const { code, detail = null, hint = null } = error as PostgresErrorShape;
    return { verdict: 'refused', sqlstate: code, message, detail, hint };
  }
}
