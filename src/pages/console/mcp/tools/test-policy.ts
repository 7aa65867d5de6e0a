/**
 * Tries a change of policies in a transaction that is rolled back, and compares which rows real users can access before
 * and after the change.
 */
import { z } from 'zod';
import { quoteIdentifier, sql } from '../../../../base/kernel/sql.ts';
import type { Setting, Transaction } from '../../../../platform/database/types.ts';
import { may, permissionForRows } from '../../core/roles.ts';
import {
  defaultSearchPath,
  type Identity,
  identify,
  listRecentUsers,
  settingsOf,
} from '../../persona/act.ts';
import { splitStatements } from '../../sql-page/core/statements.ts';
import { findRelation } from '../../why/facts.ts';
import { type McpDeps, ownTool } from '../types.ts';
import { personaOf, userInput } from './persona.ts';

const defaultUsers = 10;
const maxUsers = 25;
/** The maximum number of rows that are compared per user. */
const maxRows = 1000;
const shownRows = 10;

/** The maximum duration of a trial, because other requests to the table wait until it ends. */
const maxTrialMs = 10_000;

const settings: readonly Setting[] = [
  ['statement_timeout', '5000'],
  ['lock_timeout', '1000'],
];

export const testPolicy = ({ database, clock }: Pick<McpDeps, 'database' | 'clock'>) =>
  ownTool({
    name: 'test_policy',
    title: 'Test a policy',
    description:
      'Tries statements about policies (create, alter or drop policy, alter table … row level security, grant, revoke) without keeping them. Compares, for anonymous requests and for real users, which rows of the table they can access before and after the change.',
    feature: 'debugging',
    requires: 'write',
    changes: true,
    input: z.object({
      sql: z.string().min(1).max(20_000).describe('The statements to try.'),
      schema: z.string().min(1).max(200).default('public'),
      table: z.string().min(1).max(200).describe('The table whose rows are compared.'),
      access: z
        .enum(['select', 'update'])
        .default('select')
        .describe('The access to compare. For update, the rows that the user can select for an update.'),
      users: z
        .array(userInput)
        .max(maxUsers)
        .optional()
        .describe(`The users to compare. Default: the ${defaultUsers} users who signed in most recently.`),
    }),
    async run({ sql: text, schema, table, access, users }, { caller }) {
      const { role } = caller.operator;
      if (!may(role, permissionForRows(schema))) throw new Error(`Your role can't read rows of ${schema}.`);
      const statements = policyStatements(text);
      const db = database.pool('postgres');
      const relation = await findRelation(db, { schema, name: table });
      if (relation === undefined) throw new Error(`The table ${schema}.${table} doesn't exist.`);
      const names = ['anon', ...(users ?? (await listRecentUsers(db, defaultUsers)).ids)];
      const personas: Identity[] = [];
      for (const name of new Set(names))
        personas.push(await identify(db, await personaOf(db, name), clock.now(), role));
      const query = await rowsQuery(db, { schema, table, access });
      return await db.transaction(
        async (tx) => {
          const before = await accessOf(tx, personas, query);
          for (const statement of statements) await tx.query(sql`${sql.raw(statement)}`);
          const after = await accessOf(tx, personas, query);
          return {
            untrusted: {
              table: `${schema}.${table}`,
              access,
              kept: false,
              users: personas.map((persona, index) => difference(persona, before[index], after[index])),
            },
          };
        },
        { end: 'rollback', settings, signal: AbortSignal.timeout(maxTrialMs) },
      );
    },
  });

const allowed = [
  /^(create|alter|drop)\s+policy\b/i,
  /^alter\s+table\s[\s\S]+\brow\s+level\s+security\s*$/i,
  /^(grant|revoke)\s/i,
];

/** Returns the statements. @throws {Error} if a statement isn't about policies or privileges */
function policyStatements(text: string): string[] {
  const statements = splitStatements(text).map((statement) => statement.text.trim());
  const other = statements.find((statement) => !allowed.some((pattern) => pattern.test(statement)));
  if (other !== undefined)
    throw new Error(
      `test_policy only runs CREATE, ALTER and DROP POLICY, ALTER TABLE … ROW LEVEL SECURITY, GRANT and REVOKE, not: ${other.slice(0, 100)}`,
    );
  return statements;
}

type Db = Pick<Transaction, 'query' | 'queryText'>;

/** Returns a query for the keys of the rows that the current role can access. */
async function rowsQuery(
  db: Db,
  { schema, table, access }: { readonly schema: string; readonly table: string; readonly access: string },
): Promise<string> {
  const name = `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
  const columns = await db.query<{ name: string }>(sql`
    select a.attname::text as name from pg_catalog.pg_index i
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indisprimary and i.indrelid = ${name}::pg_catalog.regclass order by a.attnum`);
  const key =
    columns.length === 0
      ? 'ctid::text'
      : columns.map((column) => `${quoteIdentifier(column.name)}::text`).join(', ');
  const order =
    columns.length === 0 ? 'ctid' : columns.map((column) => quoteIdentifier(column.name)).join(', ');
  const lock = access === 'update' ? ' for no key update' : '';
  return `select ${key} from ${name} order by ${order} limit ${maxRows + 1}${lock}`;
}

interface Access {
  readonly rows: readonly string[];
  readonly isCut: boolean;
  /** The message of the error, if the role can't access the table at all. */
  readonly error: string | undefined;
}

async function accessOf(tx: Transaction, personas: readonly Identity[], query: string): Promise<Access[]> {
  const found: Access[] = [];
  for (const persona of personas) found.push(await accessAs(tx, persona, query));
  return found;
}

/** Runs the query as the persona, in a savepoint whose settings are undone. */
async function accessAs(tx: Transaction, persona: Identity, query: string): Promise<Access> {
  class Undo extends Error {}
  let access: Access = { rows: [], isCut: false, error: undefined };
  try {
    await tx.savepoint(async (inner) => {
      for (const [name, value] of settingsOf(persona, defaultSearchPath))
        await inner.query(sql`select pg_catalog.set_config(${name}, ${value}, true)`);
      const { rows } = await inner.queryText(sql`${sql.raw(query)}`);
      const keys = rows.map((cells) => cells.join(', '));
      access = { rows: keys.slice(0, maxRows), isCut: keys.length > maxRows, error: undefined };
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) access = { rows: [], isCut: false, error: (error as Error).message };
  }
  return access;
}

function difference(persona: Identity, before: Access | undefined, after: Access | undefined): object {
  const [old, now] = [new Set(before?.rows), new Set(after?.rows)];
  const gained = [...now].filter((row) => !old.has(row));
  const lost = [...old].filter((row) => !now.has(row));
  return {
    user: persona.name,
    rows_before: old.size,
    rows_after: now.size,
    gains: gained.length,
    loses: lost.length,
    ...(gained.length === 0 ? {} : { gained: gained.slice(0, shownRows) }),
    ...(lost.length === 0 ? {} : { lost: lost.slice(0, shownRows) }),
    ...(before?.isCut || after?.isCut ? { note: `Only the first ${maxRows} rows are compared.` } : {}),
    ...(before?.error === undefined ? {} : { error_before: before.error }),
    ...(after?.error === undefined ? {} : { error_after: after.error }),
  };
}
