import { expect, test } from 'vitest';
import type { CatalogObject } from '../types.ts';
import { completeDefaults, defaultPrivileges, grantStatements, parseAclItem } from './acl.ts';

test.each([
  ['anon=r*w/postgres', { grantee: 'anon', plain: 'w', grantable: 'r' }],
  ['=X/postgres', { grantee: '', plain: 'X', grantable: '' }],
  ['"a ""b=c"=U/postgres', { grantee: 'a "b=c', plain: 'U', grantable: '' }],
])('%s', (text, item) => {
  expect(parseAclItem(text)).toEqual(item);
});

const table = {
  key: 'pg_class:1',
  kind: 'TABLE',
  schema: 'public',
  name: 't',
  identity: 'public.t',
  section: 'pre',
  create: () => [],
} as const satisfies CatalogObject;

const grants = (items: string[] | null, version = 180_000): string[] =>
  grantStatements(table, { target: 'TABLE', items }, 'postgres', {
    defaultAcls: [],
    apiRoles: ['anon'],
    serverVersion: version,
  });

test('privileges that default privileges would add are revoked', () => {
  expect(grants(null)).toEqual(['REVOKE ALL ON TABLE public.t FROM "anon"']);
  expect(grants(['postgres=arwdDxtm/postgres', 'anon=arwdDxtm/postgres'])).toEqual([
    'GRANT ALL ON TABLE public.t TO "anon"',
  ]);
  expect(grants(['postgres=arwdDxtm/postgres', 'anon=rm/postgres'])).toEqual([
    'REVOKE ALL ON TABLE public.t FROM "anon"',
    'GRANT SELECT ON TABLE public.t TO "anon"',
    `DO $$BEGIN IF current_setting('server_version_num')::int >= 170000 THEN GRANT MAINTAIN ON TABLE public.t TO "anon"; END IF; END$$`,
  ]);
  expect(grants(['postgres=r/postgres'], 150_000)).toEqual([
    'REVOKE ALL ON TABLE public.t FROM "anon"',
    'REVOKE ALL ON TABLE public.t FROM "postgres"',
    'GRANT SELECT ON TABLE public.t TO "postgres"',
  ]);
});

test('a schema’s default privileges are added to the global ones, and a role’s replace them', () => {
  const entry = { role: 'app', type: 'f' };
  expect(defaultPrivileges({ ...entry, schema: 's', items: ['anon=X*/app'] }, ['anon'], 180_000)).toEqual([
    'ALTER DEFAULT PRIVILEGES FOR ROLE "app" IN SCHEMA "s" GRANT ALL ON FUNCTIONS TO "anon" WITH GRANT OPTION',
  ]);
  expect(defaultPrivileges({ ...entry, schema: null, items: ['app=X/app'] }, ['anon'], 180_000)).toEqual([
    'ALTER DEFAULT PRIVILEGES FOR ROLE "app" REVOKE ALL ON FUNCTIONS FROM PUBLIC',
  ]);
});

test('default privileges that the project removed are also removed in the target', () => {
  const [tables, ...others] = completeDefaults([], ['anon']);
  expect(others.map(({ type }) => type)).toEqual(['S', 'f']);
  expect(defaultPrivileges(tables as NonNullable<typeof tables>, ['anon'], 180_000)).toEqual([
    'ALTER DEFAULT PRIVILEGES FOR ROLE "postgres" IN SCHEMA "public" REVOKE ALL ON TABLES FROM "anon"',
  ]);
  expect(completeDefaults([], [])).toEqual([]);
});
