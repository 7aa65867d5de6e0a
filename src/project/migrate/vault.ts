/**
 * Migrates the vault's secrets. Each database encrypts secrets with its own key, so the source decrypts the secrets and
 * the target's functions encrypt them again. If the account can insert rows, as in Plinth, the secrets keep their IDs.
 * Otherwise, the target chooses the secrets' IDs.
 */

import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';
import type { Changes, End } from './types.ts';

interface Secret {
  readonly id: string;
  readonly name: string | null;
  readonly description: string;
  readonly value: string | null;
  readonly createdAt: string;
}

const none: Changes = { added: 0, changed: 0, deleted: 0 };

/**
 * Migrates the secrets. `notes` lists secrets that weren't migrated. `remarks` contains information for the operator
 * about migrated secrets.
 */
export async function migrateSecrets(
  source: End,
  target: End,
): Promise<Changes & { readonly notes: readonly string[]; readonly remarks: readonly string[] }> {
  const secrets = await readSecrets(source.session);
  if (secrets === undefined) return { ...none, notes: [], remarks: [] };
  const existing = await readSecrets(target.session);
  if (existing === undefined)
    return {
      ...none,
      remarks: [],
      notes:
        secrets.length === 0
          ? []
          : [`Vault: ${secrets.length} secrets can't be migrated, because the target has no vault.`],
    };
  const keepsIds = await mayInsert(target.session);
  const rest = [...existing];
  const take = (wanted: (secret: Secret) => boolean): Secret | undefined => {
    const at = rest.findIndex(wanted);
    return at === -1 ? undefined : rest.splice(at, 1)[0];
  };
  const notes: string[] = [];
  const changes = { added: 0, changed: 0, deleted: 0 };
  const missing: Secret[] = [];
  for (const secret of secrets) {
    const { id, name, description, value } = secret;
    // A secret with a different ID is recreated because tables can refer to the ID.
    const same = keepsIds
      ? take((each) => each.id === id && each.name === name)
      : name === null
        ? take((each) => each.name === null && each.description === description && each.value === value)
        : take((each) => each.name === name);
    if (same === undefined) missing.push(secret);
    else if (same.value !== value || same.description !== description) {
      await target.session.query(
        sql`select vault.update_secret(${same.id}::uuid, ${value}::text, null, ${description}::text)`,
      );
      changes.changed += 1;
    }
  }
  // If the source can't decrypt a secret, only the target can have the secret's value.
  const unreadable = new Set(
    secrets.flatMap(({ name, value }) => (value === null && name !== null ? [name] : [])),
  );
  for (const { id, name } of rest) {
    if (name !== null && unreadable.has(name)) continue;
    await target.session.query(sql`delete from vault.secrets where id = ${id}::uuid`);
    changes.deleted += 1;
  }
  const renumbered: string[] = [];
  for (const secret of missing) {
    const { name, description, value } = secret;
    if (value === null) {
      notes.push(`Vault: the secret ${name ?? '(without a name)'} can't be decrypted by the source.`);
      continue;
    }
    if (keepsIds) await insertSecret(target.session, secret, value);
    else {
      await target.session.query(
        sql`select vault.create_secret(${value}::text, ${name}::text, ${description}::text)`,
      );
      renumbered.push(name ?? '(without a name)');
    }
    changes.added += 1;
  }
  const remarks =
    renumbered.length === 0
      ? []
      : [`Vault: the target has chosen new IDs for the secrets ${renumbered.join(', ')}.`];
  return { ...changes, notes, remarks };
}

/** Sets the secret's value after the row exists, because the value is encrypted together with the row's ID. */
async function insertSecret(session: CopySession, secret: Secret, value: string): Promise<void> {
  const { id, name, description, createdAt } = secret;
  await session.exec('begin');
  try {
    await session.query(sql`
      insert into vault.secrets (id, name, description, secret, created_at)
      values (${id}::uuid, ${name}::text, ${description}::text, '', ${createdAt}::timestamptz)`);
    await session.query(sql`select vault.update_secret(${id}::uuid, ${value}::text)`);
    await session.exec('commit');
  } catch (error) {
    if (session.isOpen()) await session.exec('rollback');
    throw error;
  }
}

async function mayInsert({ query }: CopySession): Promise<boolean> {
  const [row] = await query<{ may: boolean }>(sql`
    select coalesce(bool_and(has_column_privilege(to_regclass('vault.secrets'), name, 'insert')), false) as may
    from unnest(array['id', 'name', 'description', 'secret', 'created_at']) as name`);
  return row?.may === true;
}

/** Returns the secrets, or undefined if the database doesn't have a vault or the account can't read it. */
export async function readSecrets({ query }: CopySession): Promise<Secret[] | undefined> {
  const [found] = await query<{ exists: boolean }>(sql`
    select coalesce(has_table_privilege(to_regclass('vault.decrypted_secrets'), 'select'), false) as exists`);
  if (found?.exists !== true) return undefined;
  return await query<Secret>(sql`
    select id::text, name, coalesce(description, '') as description, decrypted_secret as value, created_at::text as "createdAt"
    from vault.decrypted_secrets order by created_at, id`);
}
