/**
 * Replaces personal data in the copied database of a branch. Equal values get equal replacements, so that unique
 * constraints, foreign keys and joins still hold. The replacements depend on a random key that isn't stored, so a
 * guessed value can't be verified.
 */
import { randomBytes } from 'node:crypto';
import { quoteIdentifier, type Sql, sql } from '../../base/kernel/sql.ts';
import { BranchError } from '../../base/shared/branches.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';
import { removeCopies } from './copied-values.ts';
import { emptyTables, exists, withoutTriggers } from './neutralize.ts';

export type Replacement = 'text' | 'email' | 'name' | 'phone' | 'null';

/** The replacement of each column, by `schema.table.column`. */
export type MaskedColumns = Readonly<Record<string, Replacement>>;

/** @throws {BranchError} copy_failed, if a column can't be masked. The whole transaction is then rolled back. */
export async function maskData(database: Pick<Database, 'pool'>, columns: MaskedColumns): Promise<void> {
  const key = randomBytes(16).toString('hex');
  const tables = byTable(columns);
  await emptyTables(database, ownTables);
  await withoutTriggers(database, async (tx) => {
    await maskUsers(tx, key);
    for (const table of emptied)
      if (await exists(tx, table)) await tx.query(sql`delete from ${sql.raw(table)}`);
    for (const [table, masked] of tables) await maskTable(tx, { key, table, masked });
  });
  await removeCopies(database, [...ownTables, ...userTables, ...emptied, ...tables.keys()]);
}

/** Returns 12 hexadecimal digits that depend on the value and the key. `value` is the SQL of a text expression. */
const digest = (value: Sql, key: string): Sql =>
  sql`pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(${key}::pg_catalog.text operator(pg_catalog.||) ${value}, 'UTF8')), 'hex'), 12)`;

const emailOf = (value: Sql, key: string): Sql =>
  sql`('user-' operator(pg_catalog.||) ${digest(sql`pg_catalog.lower(${value})`, key)} operator(pg_catalog.||) '@example.com')`;

/** A number of the range that is reserved for fiction, followed by digits that keep it unique. */
const phoneOf = (value: Sql, key: string): Sql =>
  sql`('1555' operator(pg_catalog.||) pg_catalog.left(pg_catalog.translate(${digest(value, key)}, 'abcdef', '012345'), 10))`;

const replacementOf: Readonly<Record<Replacement, (value: Sql, key: string) => Sql>> = {
  email: emailOf,
  phone: phoneOf,
  name: (value, key) => sql`('Person ' operator(pg_catalog.||) ${digest(value, key)})`,
  text: (value, key) => sql`('Text ' operator(pg_catalog.||) ${digest(value, key)})`,
  null: () => sql`null`,
};

const userTables = ['auth.users', 'auth.identities'];

/** Tables with second factors, or with texts by and about users. */
const emptied = [
  'auth.mfa_factors',
  'auth.webauthn_credentials',
  'auth.audit_log_entries',
  'realtime.messages',
  'net._http_response',
  'cron.job_run_details',
];

/**
 * Masks the tables of the auth service. Users without an email or phone number stay so. The ID of an identity is replaced
 * unless it is the user's own ID, because other providers use account numbers and email addresses.
 */
async function maskUsers(tx: Queryable, key: string): Promise<void> {
  await tx.query(sql`
    update auth.users set email = ${emailOf(sql`email`, key)}, email_change = '',
      phone = ${phoneOf(sql`phone`, key)}, phone_change = '', encrypted_password = '',
      raw_user_meta_data = '{}'`);
  const providerId = sql`case when i.provider_id operator(pg_catalog.=) i.user_id::pg_catalog.text then i.provider_id
    else ${digest(sql`i.provider_id`, key)} end`;
  await tx.query(sql`
    update auth.identities i set identity_data = pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'sub', ${providerId}, 'email', u.email, 'email_verified', true)),
      provider_id = ${providerId}
    from auth.users u where u.id operator(pg_catalog.=) i.user_id`);
}

/** Tables of Plinth's own schema with addresses and devices of users. */
const ownTables = ['_plinth.security_events', '_plinth.recovery_codes', '_plinth.storage_events'];

interface MaskedTable {
  readonly key: string;
  readonly table: string;
  readonly masked: readonly (readonly [column: string, replacement: Replacement])[];
}

async function maskTable(tx: Queryable, { key, table, masked }: MaskedTable): Promise<void> {
  const changes = masked.map(([column, replacement]) => {
    const name = sql.raw(quoteIdentifier(column));
    return sql`${name} = ${replacementOf[replacement](sql`${name}::pg_catalog.text`, key)}`;
  });
  try {
    await tx.query(sql`update ${sql.raw(table)} set ${sql.join(changes, ', ')}`);
  } catch (error) {
    const names = masked.map(([column]) => column).join(', ');
    throw new BranchError(
      'copy_failed',
      `[branches.mask.columns]: ${names} of ${table} can't be masked: ${(error as Error).message}`,
      error,
    );
  }
}

/** Groups the columns, so that each table is written once. The names are quoted. */
function byTable(columns: MaskedColumns): Map<string, (readonly [string, Replacement])[]> {
  const found = new Map<string, (readonly [string, Replacement])[]>();
  for (const [path, replacement] of Object.entries(columns)) {
    const [schema = '', table = '', column = ''] = path.split('.');
    const name = `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
    found.set(name, [...(found.get(name) ?? []), [column, replacement]]);
  }
  return found;
}
