import { expect, test } from 'vitest';
import { missingExtensionOf } from './missing-extension.ts';

test.each([
  ['type "geometry" does not exist', 'postgis'],
  ['type "extensions.geography[]" does not exist', 'postgis'],
  ['function st_makepoint(numeric, numeric) does not exist', 'postgis'],
  ['relation "public.spatial_ref_sys" does not exist', 'postgis'],
  ['operator class "gist_geometry_ops_2d" does not exist for access method "gist"', 'postgis'],
  ['schema "topology" does not exist', 'postgis_topology'],
  ['function create_hypertable(unknown, unknown) does not exist', 'timescaledb'],
  ['unrecognized parameter namespace "timescaledb"', 'timescaledb'],
  ['access method "pgroonga" does not exist', 'pgroonga'],
  ['operator does not exist: text &@~ unknown', 'pgroonga'],
  ['language "plv8" does not exist', 'plv8'],
  ['foreign-data wrapper "stripe_wrapper" does not exist', 'wrappers'],
  ['permission denied to create foreign-data wrapper "stripe"', 'wrappers'],
  ['function stripe_fdw_handler() does not exist', 'wrappers'],
  ['function public.pgaudit_sql_drop() does not exist', 'pgaudit'],
  ['extension "basejump-supabase_test_helpers" is not available', 'basejump-supabase_test_helpers'],
  ['type "status" does not exist', undefined],
  ['relation "public.documents" does not exist', undefined],
  ['function is_admin() does not exist', undefined],
  ['operator does not exist: integer = text', undefined],
  ['schema "app" does not exist', undefined],
  ['column "x" does not exist', undefined],
  ['syntax error at or near "geometry"', undefined],
])('%s: %s', (message, extension) => expect(missingExtensionOf({ message })).toBe(extension));
