/** Explains why a user can or can't read or change a row, as the Console's “Why?” panel does. */
import { z } from 'zod';
import { may, permissionForRows } from '../../core/roles.ts';
import { identify } from '../../persona/act.ts';
import { why } from '../../why/why.ts';
import { type McpDeps, ownTool } from '../types.ts';
import { personaOf, userInput } from './persona.ts';

const cells = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The maximum number of explanations that are computed concurrently, because each uses several connections. */
const maxAtOnce = 2;
let running = 0;

export const explainAccess = ({ database, clock }: Pick<McpDeps, 'database' | 'clock'>) =>
  ownTool({
    name: 'explain_access',
    title: 'Explain access to a row',
    description:
      "Explains why a user can or can't read, insert, update or delete a row: the grants, the policies with the values of their conditions for this row, and the database's actual result. Changes are rolled back.",
    feature: 'debugging',
    requires: 'read',
    changes: false,
    input: z.object({
      schema: z.string().min(1).max(200).default('public'),
      table: z.string().min(1).max(200),
      user: userInput,
      operation: z.enum(['select', 'insert', 'update', 'delete']).default('select'),
      key: cells
        .default({})
        .describe('The row\'s primary key, for example {"id": 1}. Not needed for insert.'),
      values: cells.default({}).describe('The new values, for insert and update.'),
    }),
    async run({ schema, table, user, operation, key, values }, { caller, isReadOnly }) {
      const { role } = caller.operator;
      if (!may(role, permissionForRows(schema))) throw new Error(`Your role can't read rows of ${schema}.`);
      if (operation !== 'select' && (isReadOnly || !may(role, 'write')))
        throw new Error('This session is read-only, so it can only explain reads.');
      if (operation !== 'insert' && Object.keys(key).length === 0)
        throw new Error(
          'Set key to the primary key of the row, for example {"id": 1}. execute_sql finds the row by its other columns.',
        );
      if (running >= maxAtOnce) throw new Error('Too many explanations are running. Try again later.');
      running++;
      try {
        const db = database.pool('postgres');
        const identity = await identify(db, await personaOf(db, user), clock.now(), role);
        const { report } = await why(database, db, {
          name: { schema, name: table },
          statement: { operation, key: texts(key), values: texts(values), returned: [] },
          unchanged: [],
          identity,
          mayRead: (behind) => may(role, permissionForRows(behind)),
        });
        // The result comes first, because agents may read only the start of a long text.
        const { explanation, truth, ...evidence } = report;
        return { untrusted: { explanation, truth, ...evidence } };
      } finally {
        running--;
      }
    },
  });

const texts = (record: z.output<typeof cells>): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
