/**
 * Finds everything that the migration of rows and definitions doesn't cover. Runs before the migration changes
 * anything.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';
import { objectPath } from './core/object-path.ts';
import { readJobs } from './cron.ts';
import type { DefinitionPlan } from './definitions.ts';
import { queueNotes, readQueues } from './queues.ts';
import type { End, Plans } from './types.ts';

export async function notesOf(
  source: End,
  target: End,
  plans: Plans,
  { unavailable, extra }: DefinitionPlan,
): Promise<string[]> {
  return [
    ...unavailable.map((name) => `Extension ${name}: the target's server doesn't offer it.`),
    ...plans.source.unsupported.map((object) => `Not supported: ${object}.`),
    ...(extra.length === 0 ? [] : [`Only the target has: ${extra.slice(0, 20).join(', ')}.`]),
    ...(plans.source.roleNames.length === 0
      ? []
      : [`Roles ${plans.source.roleNames.join(', ')}: their passwords can't be read, so set them again.`]),
    ...(await jobNotes(source, target)),
    ...(await storageNotes(source, target)),
    ...queueNotes((await readQueues(source.session)) ?? []),
    ...(await plinthNotes(source.session)),
    ...(await addressNotes(source)),
    ...(target.facts.canReplicate
      ? []
      : [
          "The target's account can't set session_replication_role: triggers and foreign keys are created after the rows, and a second run isn't possible.",
        ]),
  ];
}

async function jobNotes(source: End, target: End): Promise<string[]> {
  const jobs = (await readJobs(source.session)) ?? [];
  const others = jobs.filter(({ username }) => username !== source.facts.user);
  return others.length === 0
    ? []
    : [
        `Cron jobs of other roles will run as ${target.facts.user}: ${others.map(({ name, id }) => name ?? id).join(', ')}.`,
      ];
}

async function storageNotes(source: End, target: End): Promise<string[]> {
  const { query } = source.session;
  const [found] = await query<{ exists: boolean }>(
    sql`select coalesce(has_table_privilege(to_regclass('storage.objects'), 'select'), false) as exists`,
  );
  if (found?.exists !== true) return [];
  const [row] = await query<{ count: number; bytes: string }>(sql`
    select count(*) as count, coalesce(sum((metadata ->> 'size')::numeric), 0)::text as bytes from storage.objects
    where metadata ->> 'size' is null or metadata ->> 'size' ~ '^[0-9]+$'`);
  if ((row?.count ?? 0) === 0) return [];
  if (source.storage === undefined || target.storage === undefined)
    return [
      `Storage: ${row?.count} objects can't be migrated without the project URL and service key of both projects.`,
    ];
  const odd = await query<{ bucket: string; name: string }>(sql`
    select bucket_id as bucket, name from storage.objects
    where name ~ '(^|/)(\.\.?)?(/|$)' or bucket_id ~ '^\.\.?$|/' limit 1000`);
  return odd
    .filter(({ bucket, name }) => objectPath(bucket, name) === undefined)
    .map(
      ({ bucket, name }) =>
        `Object ${bucket}/${name}: its name can't be part of a URL, so it won't be migrated.`,
    );
}

async function plinthNotes({ query }: CopySession): Promise<string[]> {
  const [found] = await query<{ exists: boolean }>(
    sql`select exists (select from pg_namespace where nspname = '_plinth') as exists`,
  );
  return found?.exists === true
    ? ["Plinth's own tables won't be migrated: recovery codes of users, Console operators and request logs."]
    : [];
}

/** Adds notes about definitions that contain the source's address, such as webhooks. */
async function addressNotes({ session, storage }: End): Promise<string[]> {
  const host = storage === undefined ? undefined : URL.parse(storage.projectUrl)?.host;
  if (host === undefined || host === '') return [];
  const rows = await session.query<{ name: string }>(sql`
    select format('trigger %I on %s', t.tgname, t.tgrelid::regclass) as name from pg_trigger t
    where not t.tgisinternal and position(${host} in pg_get_triggerdef(t.oid)) > 0
    union all
    select format('function %s', p.oid::regprocedure) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname !~ '^pg_' and position(${host} in p.prosrc) > 0
    order by 1`);
  const jobs = ((await readJobs(session)) ?? [])
    .filter(({ command }) => command.includes(host))
    .map(({ name, id }) => `cron job ${name ?? id}`);
  const found = [...rows.map(({ name }) => name), ...jobs];
  return found.length === 0
    ? []
    : [`The source's address ${host} is used in ${found.join(', ')}. Change these after the migration.`];
}

/**
 * Whether one of the source's keys was signed with a secret. Returns undefined if the key isn't a signed token.
 *
 * @example isSignedWith(serviceKey, jwtSecret)
 */
export function isSignedWith(key: string, secret: string): boolean | undefined {
  const [header = '', payload = '', signature] = key.split('.');
  if (signature === undefined || !key.startsWith('eyJ')) return undefined;
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
