/**
 * Tests PostGIS from a folder of the machine, through the stock client. The tests are skipped unless POSTGIS_FOLDER names
 * an installation of PostgreSQL 18 with PostGIS, as `[database] extension_folders` does.
 */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

const folder = process.env.POSTGIS_FOLDER;

const schema = `
  create extension postgis with schema extensions;
  create extension pg_graphql;
  create table public.places (
    id int primary key,
    name text not null,
    location extensions.geography(Point) not null,
    shape extensions.geometry(Point, 4326) generated always as (location::extensions.geometry) stored
  );
  create index on public.places using gist (location);
  alter table public.places enable row level security;
  create policy "Everyone reads places" on public.places for select using (name <> 'hidden');
  create function public.nearby (lat float, long float)
  returns table (name text, meters float) language sql stable set search_path = '' as $$
    select name, extensions.st_distance(location, extensions.st_point(long, lat)::extensions.geography) from public.places
    order by location operator(extensions.<->) extensions.st_point(long, lat)::extensions.geography
  $$;
  create function public.in_box (min_lat float, min_long float, max_lat float, max_long float)
  returns setof public.places language sql stable set search_path = '' as $$
    select * from public.places where location operator(extensions.&&)
      extensions.st_setsrid(extensions.st_makebox2d(extensions.st_point(min_long, min_lat), extensions.st_point(max_long, max_lat)), 4326)
  $$;`;

describe.runIf(folder !== undefined)(
  `PostGIS${folder === undefined ? ': POSTGIS_FOLDER is not set' : ''}`,
  () => {
    let backend: Backend;
    let anon: SupabaseClient;
    let service: SupabaseClient;

    beforeAll(async () => {
      backend = await createTestBackend({
        config: { plinth: { database: { extension_folders: [folder ?? ''] } } },
        sql: schema,
      });
      [anon, service] = [backend.keys.publishableKey, backend.keys.secretKey].map((key) =>
        createClient(backend.url, key, { auth: { persistSession: false, autoRefreshToken: false } }),
      ) as [SupabaseClient, SupabaseClient];
      const { error } = await service.from('places').insert([
        { id: 1, name: 'Burger', location: 'POINT(-73.946823 40.807416)' },
        { id: 2, name: 'Pizza', location: 'SRID=4326;POINT(-73.94581 40.807475)' },
        { id: 3, name: 'hidden', location: 'POINT(-73.9 40.8)' },
      ]);
      expect(error).toBeNull();
    });
    afterAll(() => backend?.stop());

    test('rows are returned as GeoJSON features, and columns as text or GeoJSON', async () => {
      const { data, error } = await anon.from('places').select('name, location').eq('id', 1).geojson();
      expect(error).toBeNull();
      expect(data).toEqual({
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            geometry: { type: 'Point', coordinates: [-73.946823, 40.807416] },
            properties: { name: 'Burger' },
          },
        ],
      });
      const rows = await anon.from('places').select('location, shape').eq('id', 1);
      expect(rows.data).toEqual([
        {
          location: '0101000020E610000070067FBF987C52C03222516859674440',
          shape: expect.objectContaining({ type: 'Point', coordinates: [-73.946823, 40.807416] }),
        },
      ]);
    });

    test('functions find the nearest rows and those in a box, under row-level security', async () => {
      const near = await anon.rpc('nearby', { lat: 40.8, long: -73.9 });
      expect(near.data).toEqual([
        { name: 'Pizza', meters: expect.closeTo(3953.77, 1) },
        { name: 'Burger', meters: expect.closeTo(4036.04, 1) },
      ]);
      const box = { min_lat: 40.807, min_long: -73.946, max_lat: 40.808, max_long: -73.945 };
      expect((await anon.rpc('in_box', box).select('id')).data).toEqual([{ id: 2 }]);
    });

    test('GraphQL reads and writes the columns as text', async () => {
      const response = await fetch(`${backend.url}/graphql/v1`, {
        method: 'POST',
        headers: { apikey: backend.keys.secretKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: `mutation { insertIntoplacesCollection(objects: [{ id: 4, name: "Tea", location: "POINT(1 2)" }]) {
          records { name location } } }`,
        }),
      });
      expect(await response.json()).toEqual({
        data: {
          insertIntoplacesCollection: {
            records: [{ name: 'Tea', location: '0101000020E6100000000000000000F03F0000000000000040' }],
          },
        },
      });
    });
  },
);
