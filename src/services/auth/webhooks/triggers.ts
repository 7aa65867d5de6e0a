/**
 * The triggers that record events. They exist only while a webhook needs them, because every change of a user or session
 * would otherwise call a function in vain. Their functions are in `sql/0007_user_events.sql`.
 */
import { createHash } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { UserEventType } from '../../../base/shared/user-events.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import type { EventKind } from '../security-events/events.ts';

/** The events that have an entry in the account's timeline, by the kind of the entry. */
const recordedKinds: Partial<Record<EventKind, UserEventType>> = {
  password_changed: 'user.password_changed',
  banned: 'user.banned',
  unbanned: 'user.unbanned',
  identity_linked: 'identity.linked',
  identity_unlinked: 'identity.unlinked',
  factor_added: 'factor.enrolled',
  factor_removed: 'factor.removed',
  factors_reset: 'factor.removed',
  passkey_added: 'passkey.added',
  passkey_removed: 'passkey.removed',
};

/** The columns of auth.users whose change is an event. */
const userColumns = [
  'email',
  'email_confirmed_at',
  'phone',
  'phone_confirmed_at',
  'role',
  'raw_app_meta_data',
  'raw_user_meta_data',
  'is_anonymous',
  'banned_until',
  'deleted_at',
] as const;

interface Trigger {
  readonly name: string;
  readonly table: 'auth.users' | 'auth.sessions' | '_plinth.security_events';
  /** The trigger's definition after its name. */
  readonly definition: string;
}

const prefix = 'plinth_events_';

const trigger = (table: Trigger['table'], definition: string): Trigger => ({
  // The name contains a hash of the definition, so that a trigger of another version is replaced.
  name: `${prefix}${createHash('sha256').update(definition).digest('hex').slice(0, 12)}`,
  table,
  definition,
});

/** Returns the triggers that record these types of events. */
export function triggersFor(types: ReadonlySet<UserEventType>): readonly Trigger[] {
  const row = (name: string) => `(${userColumns.map((column) => `${name}.${column}`).join(', ')})`;
  const kinds = Object.entries(recordedKinds).filter(([, type]) => types.has(type));
  return [
    ...trueFor(
      types.has('user.created'),
      trigger(
        'auth.users',
        'after insert on auth.users for each row execute function _plinth.note_user_change()',
      ),
    ),
    ...trueFor(
      types.has('user.deleted'),
      trigger(
        'auth.users',
        'after delete on auth.users for each row execute function _plinth.note_user_change()',
      ),
    ),
    ...trueFor(
      types.has('user.updated') || types.has('user.deleted'),
      trigger(
        'auth.users',
        `after update on auth.users for each row when (${row('old')} is distinct from ${row('new')})
         execute function _plinth.note_user_change()`,
      ),
    ),
    ...trueFor(
      types.has('session.created'),
      trigger(
        'auth.sessions',
        'after insert on auth.sessions for each row execute function _plinth.note_session_change()',
      ),
    ),
    ...trueFor(
      types.has('session.ended'),
      trigger(
        'auth.sessions',
        'after delete on auth.sessions for each row execute function _plinth.note_session_change()',
      ),
    ),
    ...trueFor(
      kinds.length > 0,
      trigger(
        '_plinth.security_events',
        `after insert on _plinth.security_events for each row
         when (new.kind in (${kinds.map(([kind]) => `'${kind}'`).join(', ')}))
         execute function _plinth.note_security_event('${JSON.stringify(Object.fromEntries(kinds))}')`,
      ),
    ),
  ];
}

const trueFor = (isWanted: boolean, one: Trigger): readonly Trigger[] => (isWanted ? [one] : []);

/** The time limit for the locks on the tables. While a trigger is created, writes to its table wait. */
const lockTimeout = '5s';

/**
 * Creates the missing triggers and, if `removesOthers` is true, drops the triggers that these types don't need. If
 * nothing has to be done, only reads the catalog. Fails if another transaction holds a lock on a table for too long.
 */
export async function syncTriggers(
  db: Pool,
  types: ReadonlySet<UserEventType>,
  { removesOthers }: { readonly removesOthers: boolean },
): Promise<void> {
  const wanted = triggersFor(types);
  const found = await listTriggers(db);
  const missing = wanted.filter(({ name }) => !found.some((each) => each.name === name));
  const others = removesOthers ? found.filter(({ name }) => !wanted.some((each) => each.name === name)) : [];
  if (missing.length === 0 && others.length === 0) return;
  await db.transaction(
    async (tx) => {
      // Another process may have created a trigger in the meantime, so each statement also works then.
      for (const { name, table, definition } of missing)
        await asOwner(tx, table, `create or replace trigger ${name} ${definition}`);
      for (const { name, table } of others)
        await asOwner(tx, table, `drop trigger if exists ${name} on ${table}`);
    },
    { settings: [['lock_timeout', lockTimeout]] },
  );
}

/** Runs a statement as the owner of the table, which isn't a superuser if the table belongs to the project. */
async function asOwner(tx: Queryable, table: string, statement: string): Promise<void> {
  const isOwn = table.startsWith('_plinth.');
  if (!isOwn) await tx.query(sql`set local role supabase_auth_admin`);
  await tx.query(sql.raw(statement));
  if (!isOwn) await tx.query(sql`reset role`);
}

/** Lists the triggers that exist. */
export const listTriggers = (db: Queryable): Promise<{ name: string; table: string }[]> =>
  db.query<{ name: string; table: string }>(sql`
    select t.tgname::text as name, n.nspname || '.' || c.relname as table
    from pg_catalog.pg_trigger t
      join pg_catalog.pg_class c on c.oid = t.tgrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where t.tgname like ${`${prefix.replaceAll('_', '\\_')}%`} and n.nspname in ('auth', '_plinth')`);
