/** Tests which rows a to-many spread contains if it has an order together with a limit or an offset. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

/** The rows are inserted in an order that differs from each order the tests request. */
const schema = `
  create table public.regions (id int primary key, name text);
  create table public.owners (id int primary key, name text);
  create table public.shops (id int primary key, name text, region_id int references public.regions,
    owner_id int references public.owners, facts jsonb);
  create table public.goods (id int primary key, name text, shop_id int references public.shops);
  create table public.labels (id int primary key, name text);
  create table public.shop_labels (shop_id int references public.shops, label_id int references public.labels,
    primary key (shop_id, label_id));
  insert into public.regions values (1, 'north'), (2, 'south');
  insert into public.owners values (1, 'Zoe'), (2, 'Yan'), (3, 'Xia');
  insert into public.shops values (1, 'c', 1, 1, '{"rank": 2}'), (2, 'b', 1, 2, '{"rank": 3}'),
    (3, 'a', 1, 3, '{"rank": 1}'), (4, 'd', 2, 1, null);
  insert into public.goods values (1, 'tea', 1), (2, 'soap', 1), (3, 'rice', 1), (4, 'pear', 2), (5, 'oil', 2),
    (6, 'nut', 3);
  insert into public.labels values (1, 'z'), (2, 'y'), (3, 'x');
  insert into public.shop_labels values (1, 1), (1, 2), (1, 3);
  create function public.every_region() returns setof public.regions language sql stable as
    $$ select * from public.regions $$;
  create function public.shops_nearby(public.regions) returns setof public.shops language sql stable as
    $$ select * from public.shops where region_id = $1.id $$;
  grant select on all tables in schema public to anon, authenticated, service_role;
`;

let rest: RestHarness;
/** A server whose row limit is two. */
let short: RestHarness;
beforeAll(async () => {
  rest = await startRest({ sql: schema });
  short = await startRest({ sql: schema, settings: { api: { max_rows: 2 } } });
});
afterAll(async () => {
  await rest?.stop();
  await short?.stop();
});

async function rows(path: string, server = rest): Promise<unknown> {
  const response = await server.fetch(path, { headers: { apikey: server.serviceKey } });
  return await response.json();
}

describe('the order determines the rows that a to-many spread returns', () => {
  test.each([
    [
      'a limit',
      '/regions?id=eq.1&select=...shops(name)&shops.order=name&shops.limit=2',
      { name: ['a', 'b'] },
    ],
    ['an offset', '/regions?id=eq.1&select=...shops(name)&shops.order=name&shops.offset=2', { name: ['c'] }],
    [
      'a limit and an offset',
      '/regions?id=eq.1&select=...shops(name)&shops.order=name&shops.offset=2&shops.limit=1',
      { name: ['c'] },
    ],
    [
      'several columns',
      '/regions?id=eq.1&select=...shops(id,label:name)&shops.order=name&shops.limit=2',
      { id: [3, 2], label: ['a', 'b'] },
    ],
    [
      'a column that isn’t selected',
      '/regions?id=eq.1&select=...shops(id)&shops.order=name&shops.limit=1',
      { id: [3] },
    ],
    [
      'a JSON path',
      '/regions?id=eq.1&select=...shops(id)&shops.order=facts->rank.desc&shops.limit=1',
      { id: [2] },
    ],
    [
      'a related column',
      '/regions?id=eq.1&select=...shops(id,owners(name))&shops.order=owners(name)&shops.limit=1',
      { id: [3], owners: [{ name: 'Xia' }] },
    ],
    [
      'a many-to-many relationship',
      '/shops?id=eq.1&select=...labels(name)&labels.order=name&labels.limit=2',
      { name: ['x', 'y'] },
    ],
    [
      'a computed relationship',
      '/regions?id=eq.1&select=...shops_nearby(name)&shops_nearby.order=name&shops_nearby.limit=2',
      { name: ['a', 'b'] },
    ],
    [
      'an inner join',
      '/regions?select=...shops!inner(name)&shops.order=name&shops.limit=1&id=eq.1',
      { name: ['a'] },
    ],
    [
      'a spread inside a to-many spread',
      '/regions?id=eq.1&select=...shops(name,...goods(good:name))&shops.order=name.desc&shops.limit=2' +
        '&shops.goods.order=name&shops.goods.limit=1',
      { name: ['c', 'b'], good: [['rice'], ['oil']] },
    ],
    [
      'a spread inside a to-many embed',
      '/regions?id=eq.1&select=shops(name,...goods(good:name))&shops.order=name.desc&shops.limit=1' +
        '&shops.goods.order=name&shops.goods.limit=2',
      { shops: [{ name: 'c', good: ['rice', 'soap'] }] },
    ],
    [
      'a spread inside a to-one spread',
      '/goods?id=eq.6&select=name,...shops(...regions(...shops(shop:name)))&shops.regions.shops.order=name' +
        '&shops.regions.shops.limit=2',
      { name: 'nut', shop: ['a', 'b'] },
    ],
    [
      'the rows of a function',
      '/rpc/every_region?id=eq.1&select=...shops(name)&shops.order=name&shops.limit=2',
      { name: ['a', 'b'] },
    ],
  ])('with %s', async (_what, path, expected) => {
    expect(await rows(path)).toEqual([expected]);
  });

  test('with the server’s row limit', async () => {
    const path = '/regions?id=eq.1&select=...shops(name)&shops.order=name';
    expect(await rows(path, short)).toEqual([{ name: ['a', 'b'] }]);
    expect(await rows(path.replace('/regions', '/rpc/every_region'), short)).toEqual([{ name: ['a', 'b'] }]);
    expect(await rows(path)).toEqual([{ name: ['a', 'b', 'c'] }]);
  });
});
