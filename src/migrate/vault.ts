/**
 * Migrates the secrets of the vault. Each end encrypts them with its own key, so the source decrypts the secrets, and
 * the target's functions store them and choose their IDs.
 */
import type { CopySession } from '../database/index.ts';
import { sql } from '../kernel/sql.ts';
import type { Changes, End } from './types.ts';

interface Secret {
  readonly id: string;
  readonly name: string | null;
  readonly description: string;
  readonly value: string | null;
}

const none: Changes = { added: 0, changed: 0, deleted: 0 };

export async function migrateSecrets(
  source: End,
  target: End,
): Promise<Changes & { readonly notes: readonly string[] }> {
  const secrets = await readSecrets(source.session);
  if (secrets === undefined) return { ...none, notes: [] };
  const existing = await readSecrets(target.session);
  if (existing === undefined)
    return {
      ...none,
      notes:
        secrets.length === 0
          ? []
          : [`Vault: ${secrets.length} secrets can't be migrated, because the target has no vault.`],
    };
  const rest = [...existing];
  const take = (wanted: (secret: Secret) => boolean): Secret | undefined => {
    const at = rest.findIndex(wanted);
    return at === -1 ? undefined : rest.splice(at, 1)[0];
  };
  const notes: string[] = [];
  const changes = { added: 0, changed: 0, deleted: 0 };
  const missing: Secret[] = [];
  for (const secret of secrets) {
    const { name, description, value } = secret;
    const same =
      name === null
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
  for (const { id } of rest) {
    await target.session.query(sql`delete from vault.secrets where id = ${id}::uuid`);
    changes.deleted += 1;
  }
  for (const { name, description, value } of missing) {
    if (value === null) {
      notes.push(`Vault: the secret ${name ?? '(without a name)'} can't be decrypted by the source.`);
      continue;
    }
    await target.session.query(
      sql`select vault.create_secret(${value}::text, ${name}::text, ${description}::text)`,
    );
    changes.added += 1;
  }
  return { ...changes, notes };
}

/** Returns undefined if the database has no vault, or if the account can't read it. */
export async function readSecrets({ query }: CopySession): Promise<Secret[] | undefined> {
  const [found] = await query<{ exists: boolean }>(sql`
    select coalesce(has_table_privilege(to_regclass('vault.decrypted_secrets'), 'select'), false) as exists`);
  if (found?.exists !== true) return undefined;
  return await query<Secret>(sql`
    select id::text, name, coalesce(description, '') as description, decrypted_secret as value
    from vault.decrypted_secrets order by created_at, id`);
}
