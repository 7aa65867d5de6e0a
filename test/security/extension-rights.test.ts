/**
 * Compares the extensions that `postgres` can create, and the objects that each extension exposes to the API roles,
 * with a list of expected objects. Each line is a function or table that any client can access if its schema is
 * exposed, so review new lines before you accept them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { placeholderVersion } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

// The timeouts are long, because the test installs every extension, one after another.
const apiRoles = ['anon', 'authenticated', 'service_role'];

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('extension-rights');
});
afterAll(() => own?.drop());

interface Member {
  name: string;
  /**
   * Whether this is an immutable function. Such a function only computes a value from its arguments, so if API roles
   * can execute the function, it is counted instead of listed.
   */
  harmless: boolean;
  definer: boolean;
  open: string[];
}

/** Creates an extension as `postgres` in `schema`. Returns the extension's members, or the error code. */
async function membersOf(extension: string, schema: string): Promise<Member[] | string> {
  const id = sql.id(extension);
  try {
    return await own.database.pool('supabase_admin').transaction(
      async (tx) => {
        await tx.query(sql`drop extension if exists ${id} cascade`);
        await tx.exec('set local event_triggers = on; set local role postgres');
        const fixed = await tx.query<{ schema: string | null }>(
          sql`select schema::text from pg_available_extension_versions v join pg_available_extensions e
            on e.name = v.name and e.default_version = v.version where v.name = ${extension}`,
        );
        const place = fixed[0]?.schema == null ? sql`schema ${sql.id(schema)}` : sql``;
        await tx.query(sql`create extension ${id} ${place} cascade`);
        await tx.exec('reset role');
        return await tx.query<Member>(sql`
          select made.*, array(
            select role || case when grants = '' then '' else ':' || grants end from unnest(${apiRoles}::text[]) as role
            cross join lateral (select case
              when made.kind = 'function' then case when has_function_privilege(role, made.oid, 'execute') then '' end
              else nullif(concat_ws('+',
                case when has_table_privilege(role, made.oid, 'select') then 'select'
                  when has_any_column_privilege(role, made.oid, 'select') then 'select of columns' end,
                case when has_table_privilege(role, made.oid, 'insert') then 'insert' end,
                case when has_table_privilege(role, made.oid, 'update') then 'update' end,
                case when has_table_privilege(role, made.oid, 'delete') then 'delete' end,
                case when has_table_privilege(role, made.oid, 'truncate') then 'truncate' end,
                case when has_table_privilege(role, made.oid, 'trigger') then 'trigger' end), '')
            end as grants) as granted
            where grants is not null
          ) as open
          from pg_depend d
          join pg_extension e on e.oid = d.refobjid
          cross join lateral (
            select 'function' as kind, p.oid, p.provolatile = 'i' as harmless, p.prosecdef as definer,
              format('%s(%s)', p.proname, regexp_replace(pg_get_function_identity_arguments(p.oid), '(public|extensions)\\.', '', 'g'))
                as name
            from pg_proc p where d.classid = 'pg_proc'::regclass and p.oid = d.objid
            union all
            select 'table', c.oid, false, false, 'table ' || c.relname
            from pg_class c where d.classid = 'pg_class'::regclass and c.oid = d.objid and c.relkind in ('r', 'p', 'v', 'm', 'f')
          ) made
          where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e' and e.extname = ${extension}
          order by name collate "C"`);
      },
      { end: 'rollback' },
    );
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/**
 * The REST service excludes pgTAP's functions (see pgtap.test.ts), and a thousand lines about them would hide the rest
 * of the list.
 */
const unreachable = (name: string, member: Member): boolean =>
  name === 'pgtap' &&
  !member.definer &&
  member.open.length === apiRoles.length &&
  !member.name.startsWith('table ');

function describeMembers(extension: string, all: readonly Member[]): string {
  const members = all.filter((member) => !unreachable(extension, member));
  const lines = members
    .filter(({ harmless, definer, open }) => !harmless || definer || open.length === 0)
    .map(({ name, definer, open }) => {
      const who = open.join(' ') === apiRoles.join(' ') ? 'open' : open.join(' ') || 'closed';
      return `  ${who}: ${name}${definer ? ' (security definer)' : ''}`;
    });
  const harmless = members.filter((each) => each.harmless && !each.definer && each.open.length > 0).length;
  return [...lines, `  and ${harmless} open immutable functions`].join('\n');
}

test('the objects that extensions expose to the API roles match the reviewed list', async () => {
  const available = await own.database.pool('postgres').query<{ name: string }>(
    // The query uses the function instead of the view, because the view excludes extensions that `postgres` can't
    // create.
    sql`select name::text from pg_available_extensions() as e (name, version, comment)
        where name <> 'plpgsql' and version <> ${placeholderVersion} order by name collate "C"`,
  );
  const sections: string[] = [];
  const refused: Record<string, string[]> = {};
  for (const { name } of available) {
    const [inPublic, inExtensions] = [await membersOf(name, 'public'), await membersOf(name, 'extensions')];
    if (typeof inPublic === 'string') {
      refused[inPublic] = [...(refused[inPublic] ?? []), name];
      expect([name, inExtensions]).toEqual([name, inPublic]);
      continue;
    }
    if (typeof inExtensions === 'string') throw new Error(`${name} in extensions: ${inExtensions}`);
    const text = describeMembers(name, inPublic);
    expect(`${name}\n${describeMembers(name, inExtensions)}`).toBe(`${name}\n${text}`);
    sections.push(`${name}\n${text}`);
  }
  const head = Object.entries(refused).map(([code, names]) => `refused (${code}): ${names.join(', ')}`);
  await expect(`${[...head, ...sections].join('\n\n')}\n`).toMatchFileSnapshot('extension-rights.txt');
});

test('the API roles don’t have privileges on objects that a superuser creates in any schema', async () => {
  const rows = await own.database.pool('supabase_admin').query(sql`
    select n.nspname::text as schema, d.defaclobjtype::text as kind, acl.grantee::regrole::text as grantee
    from pg_default_acl d join pg_roles maker on maker.oid = d.defaclrole
    left join pg_namespace n on n.oid = d.defaclnamespace
    cross join lateral aclexplode(d.defaclacl) acl
    where maker.rolsuper and (acl.grantee = 0 or acl.grantee::regrole::text = any(${apiRoles}))`);
  expect(rows).toEqual([]);
});
