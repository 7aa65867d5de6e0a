/** Tests packages of database.dev, which migrations install with pg_tle. */
import { expect, test } from 'vitest';
import type { ProjectError } from '../../src/project/folder/index.ts';
import { projectWith } from './helpers.ts';

const install = `create extension if not exists pg_tle;
select pgtle.install_extension('me-tools', '1.0', 'tools', $_pgtle_$
  \\echo Use "CREATE EXTENSION" to load this file. \\quit
  create type mood as enum ('calm', 'busy');
  create table moods (day date primary key, mood mood);
  create function today() returns mood language sql as $$ select 'calm'::@extschema@.mood $$;
$_pgtle_$);
select pgtle.install_update_path('me-tools', '1.0', '1.1', 'create function tomorrow() returns text language sql return 1');
select pgtle.install_extension_version_sql('me-tools', '2.0', 'create table moods ()');
`;

test('a package is created, updated and dropped', async () => {
  const project = await projectWith({
    'migrations/1_install.sql': install,
    'migrations/2_create.sql': `create schema tools; create extension "me-tools" with schema tools version '1.0';
      create extension if not exists "me-tools";`,
    'migrations/3_update.sql': `alter extension "me-tools" update to '1.1';`,
  });
  await project.start();
  expect(await project.values('select tools.today()::text')).toEqual(['calm']);
  expect(await project.values('select tools.tomorrow()')).toEqual(['1']);
  expect(await project.values('select name::text from pgtle.available_extensions()')).toEqual(['me-tools']);
  expect(
    await project.values(
      `select distinct pg_get_userbyid(proowner)::text from pg_proc where proname in ('today', 'tomorrow')`,
    ),
  ).toEqual(['postgres']);

  const dropping = await projectWith({
    'migrations/1_install.sql': `${install} create extension "me-tools";`,
    'migrations/2_drop.sql': `drop extension "me-tools"; select pgtle.uninstall_extension('me-tools');`,
  });
  await dropping.start();
  expect(await dropping.values(`select to_regclass('public.moods')::text`)).toEqual([null]);
  expect(await dropping.values('select count(*)::int from pgtle.available_extensions()')).toEqual([0]);
});

test.each([
  [
    'a missing version',
    `${install} create extension "me-tools" version '9.0';`,
    /no installation script for version "9.0"/,
  ],
  [
    'a missing update path',
    `${install} create extension "me-tools"; alter extension "me-tools" update to '2.0';`,
    /no update path/,
  ],
  [
    'a second creation',
    `${install} create extension "me-tools"; create extension "me-tools";`,
    /already exists/,
  ],
  [
    'a path as a name',
    `create extension pg_tle; select pgtle.install_extension('../evil', '1', '', '');`,
    /invalid extension name/,
  ],
  [
    'a path as a version',
    `create extension pg_tle; select pgtle.install_extension('a-b', '1/../2', '', '');`,
    /invalid extension version/,
  ],
  [
    'a package that isn’t installed',
    'create extension pg_tle; create extension "me-other";',
    /"me-other" is not available/,
  ],
])('%s fails', async (_, text, message) => {
  const project = await projectWith({ 'migrations/1_a.sql': text });
  const error = (await project.start().catch((caught: unknown) => caught)) as ProjectError;
  expect(error.message).toMatch(message);
});

test('a package’s script has only the rights of postgres, and an installed package isn’t an extension of the server', async () => {
  const project = await projectWith({
    'migrations/1_a.sql': `create extension pg_tle;
      select pgtle.install_extension('me-evil', '1', '', 'create role boss superuser');
      select pgtle.install_extension('postgis', '1', '', 'create table fake ()');
      create extension "me-evil";`,
  });
  const error = (await project.start().catch((caught: unknown) => caught)) as ProjectError;
  expect(error.message).toMatch(/permission denied to create role|must be superuser|SUPERUSER/i);
});

test('API roles can’t install packages', async () => {
  const project = await projectWith({ 'migrations/1_install.sql': install });
  await project.start();
  const open = `select p.proname::text from pg_proc p, unnest('{anon,authenticated,service_role}'::text[]) role
    where p.pronamespace = 'pgtle'::regnamespace and has_function_privilege(role, p.oid, 'execute')`;
  expect(new Set(await project.values(open))).toEqual(new Set(['available_extensions']));
});
