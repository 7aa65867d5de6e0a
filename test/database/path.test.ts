/**
 * Tests the request path with a real server. Most importantly, a request must never receive data or settings that
 * belong to another request.
 */
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PathRequest, RequestPath } from '../../src/platform/database/types.ts';
import { type Fixture, request, startFixture, texts, WHO } from './path-fixture.ts';

let fixture: Fixture;
let path: RequestPath;
/** A request path with a single connection for shared requests, so that any leak between requests becomes visible. */
let narrow: RequestPath;

beforeAll(async () => {
  fixture = await startFixture();
  path = fixture.open();
  narrow = fixture.open({ sharedConnections: 1, aloneConnections: 1 });
});

afterAll(async () => {
  await fixture?.close();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Checks on both connections of `narrow` that the roles are correct, and that the anonymous caller doesn't have an
 * identity.
 */
async function expectClean(): Promise<void> {
  for (const lane of ['shared', 'alone'] as const) {
    expect(texts(await narrow.execute(request(undefined, WHO, { lane })))).toEqual([
      ['anon', 'authenticator', ''],
    ]);
    expect(texts(await narrow.execute(request(undefined, 'select id from notes', { lane })))).toEqual([]);
    const own = await narrow.execute(request('user3', 'select distinct owner from notes', { lane }));
    expect(texts(own)).toEqual([['user3']]);
  }
}

describe('results', () => {
  test('contain rows as bytes, column names and the command tag, with statements before and after', async () => {
    const result = await path.execute(
      request('user1', 'select $1::text as a, $2::int as b, $3::text as c', {
        params: ['ü', '2', null],
        before: [{ key: 'before', text: 'select $1::int + 1', params: ['1'] }],
        after: [
          { key: 'after 1', text: `select current_setting('search_path')`, params: [] },
          { key: 'after 2', text: 'select 1 where false', params: [] },
        ],
      }),
    );
    expect(result).toEqual({
      rows: [[Buffer.from('ü'), Buffer.from('2'), null]],
      rowCount: 1,
      columns: ['a', 'b', 'c'],
      commandTag: 'SELECT 1',
      before: [[[Buffer.from('2')]]],
      after: [[[Buffer.from('public')]], []],
    });
  });

  test('can include the request’s body unchanged', async () => {
    const body = Buffer.from('{"a":"ü\\u0001"}');
    const result = await path.execute(request('user1', 'select $1::json', { params: [body] }));
    expect(result.rows[0]?.[0]).toEqual(body);
  });

  test('can have a thousand rows', async () => {
    const result = await path.execute(
      request('user1', `select i, repeat('x', 200) from generate_series(1, 1000) i`),
    );
    expect(texts(result).map(([id]) => Number(id))).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 1),
    );
  });

  test('of read-only requests can’t write', async () => {
    const write = (access: PathRequest['access']) =>
      path.execute(request('user1', 'insert into parents values (1) on conflict do nothing', { access }));
    await expect(write('read only')).rejects.toMatchObject({ code: '25006' });
    expect((await write('read write')).commandTag).toBe('INSERT 0 1');
  });

  test('of other requests aren’t affected by an error', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        narrow.execute(
          request(`user${index % 20}`, `select 12 / $1::int, count(*) from notes`, {
            params: [`${index % 5}`],
          }),
        ),
      ),
    );
    answers.forEach((response, index) => {
      if (index % 5 === 0) expect(response).toMatchObject({ reason: { code: '22012' } });
      else if (response.status === 'fulfilled') {
        expect(texts(response.value)).toEqual([[`${Math.trunc(12 / (index % 5))}`, '10']]);
      } else throw response.reason;
    });
  });

  test('of a request that can’t be encoded are an error only for this request', async () => {
    await expect(narrow.execute(request('user1', `select '\0'`))).rejects.toThrow(TypeError);
    await expectClean();
  });

  test('for an unknown or forbidden role are an error instead of those of another role', async () => {
    for (const role of ['unknown', 'postgres', 'none']) {
      const refused = narrow.execute({ ...request('user1', WHO), role, settings: [['role', role]] });
      await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^(22023|42501)$/) });
    }
    await expectClean();
  });
});

describe('role and claims do not leak', () => {
  test('after a success', async () => {
    await narrow.execute(request('user1', WHO));
    await expectClean();
  });

  test('for any other setting', async () => {
    const base = request('user1', WHO);
    const settings: PathRequest['settings'] = [
      ...base.settings,
      ['app.tenant', 'a'],
      ['statement_timeout', '9s'],
    ];
    const read = `select coalesce(current_setting('app.tenant', true), ''), current_setting('statement_timeout') = '9s'`;
    for (const lane of ['shared', 'alone'] as const) {
      await narrow.execute({ ...base, settings, lane });
      expect(texts(await narrow.execute(request('user2', read, { lane })))).toEqual([['', 'f']]);
    }
  });

  test('after an error in the statement, before it or after it', async () => {
    const failing = { key: 'fails', text: 'select 1 / 0', params: [] };
    const refusals = [
      request('user1', 'select 1 / 0'),
      request('user1', 'select nonsense'),
      request('user1', WHO, { before: [failing] }),
      request('user1', WHO, { after: [failing] }),
    ];
    for (const lane of ['shared', 'alone'] as const) {
      const answers = await Promise.allSettled(
        refusals.map((refused) => narrow.execute({ ...refused, lane })),
      );
      expect(answers.map(({ status }) => status)).toEqual(refusals.map(() => 'rejected'));
      await expectClean();
    }
  });

  test('after a deferred constraint that fails at the end', async () => {
    const orphan = request('user1', 'insert into children values (1, 999)', { access: 'read write' });
    const [refused, behind] = await Promise.allSettled([
      narrow.execute(orphan),
      narrow.execute(request('user2', WHO)),
    ]);
    expect(refused).toMatchObject({ reason: { code: '23503' } });
    expect(behind).toMatchObject({ status: 'fulfilled' });
    await expectClean();
  });

  test('after a timeout', async () => {
    const base = request('user1', 'select pg_sleep(60)');
    const settings: PathRequest['settings'] = [...base.settings, ['statement_timeout', '20']];
    for (const lane of ['shared', 'alone'] as const) {
      await expect(narrow.execute({ ...base, settings, lane })).rejects.toMatchObject({ code: '57014' });
      await expectClean();
    }
    expect(texts(await narrow.execute(request('user1', 'show statement_timeout')))).not.toEqual([['20ms']]);
  });

  test('after a client has disconnected', async () => {
    for (const lane of ['shared', 'alone'] as const) {
      const controller = new AbortController();
      const abandoned = narrow.execute(
        request('user1', 'select pg_sleep(60)', { lane, signal: controller.signal }),
      );
      setTimeout(() => controller.abort(), 10);
      await expect(abandoned).rejects.toMatchObject({ name: 'AbortError' });
      expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      await expectClean();
    }
  });

  test('after a lost connection', async () => {
    const lost = expect(
      narrow.execute(request('user1', 'select pg_sleep(60)', { lane: 'alone' })),
    ).rejects.toMatchObject({
      name: 'ConnectionError',
      code: '57P01',
    });
    await fixture.asleep();
    await fixture.terminate();
    await lost;
    await expectClean();
  });

  test('after a function that changes its session permanently, because the session is reset', async () => {
    const mess = request('user1', 'select mess_up()', {
      access: 'read write',
      lane: 'alone',
      resetAfter: true,
    });
    for (let turn = 0; turn < 2; turn++) {
      expect(texts(await narrow.execute(mess))).toEqual([['done']]);
      await expectClean();
      const left = `select
        (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
        (select count(*) from pg_prepared_statements where from_sql),
        (select count(*) from pg_listening_channels()),
        to_regclass('pg_temp.left_over'),
        current_setting('statement_timeout') = '1h'`;
      expect(texts(await narrow.execute(request('user1', left, { lane: 'alone' })))).toEqual([
        ['0', '0', '0', null, 'f'],
      ]);
    }
  });

  test('after such a function on a shared connection, where nothing is reset', async () => {
    const mess = request('user1', 'select mess_up()', { access: 'read write' });
    expect(texts(await narrow.execute(mess))).toEqual([['done']]);
    await expectClean();
    await fixture.terminate();
  });

  test('after an explicit transaction', async () => {
    for (const end of ['commit', 'rollback'] as const) {
      const decided = request('user1', WHO, { explicit: { isolation: 'serializable', decide: () => end } });
      await narrow.execute(decided);
      await expectClean();
    }
  });

  test('among many random roles', async () => {
    const kinds = fc.constantFrom(
      'own',
      'anonymous',
      'service',
      'error',
      'orphan',
      'alone',
      'decided',
      'reset',
    );
    const work = fc.array(fc.record({ kind: kinds, user: fc.integer({ min: 0, max: 19 }) }), {
      minLength: 20,
      maxLength: 80,
    });
    const read = `select coalesce(min(owner), ''), coalesce(max(owner), ''), count(*), current_user::text from notes`;
    await fc.assert(
      fc.asyncProperty(work, async (items) => {
        await Promise.all(
          items.map(async ({ kind, user }) => {
            const sub = `user${user}`;
            const own = [[sub, sub, '10', 'authenticated']];
            const run = (rest: Partial<PathRequest>, text = read) => path.execute(request(sub, text, rest));
            if (kind === 'own') expect(texts(await run({}))).toEqual(own);
            else if (kind === 'alone') expect(texts(await run({ lane: 'alone' }))).toEqual(own);
            else if (kind === 'reset')
              expect(texts(await run({ lane: 'alone', resetAfter: true }))).toEqual(own);
            else if (kind === 'decided')
              expect(texts(await run({ explicit: { decide: () => 'commit' } }))).toEqual(own);
            else if (kind === 'error')
              await expect(run({}, 'select 1 / 0')).rejects.toMatchObject({ code: '22012' });
            else if (kind === 'orphan') {
              const orphan = run({ access: 'read write' }, 'insert into children values (2, 999)');
              await expect(orphan).rejects.toMatchObject({ code: '23503' });
            } else if (kind === 'anonymous') {
              expect(texts(await path.execute(request(undefined, read)))).toEqual([['', '', '0', 'anon']]);
            } else {
              const service = { ...request(sub, read), role: 'service_role' };
              const settings = service.settings.map((setting) =>
                setting[0] === 'role' ? (['role', 'service_role'] as const) : setting,
              );
              expect(texts(await path.execute({ ...service, settings }))).toEqual([
                ['user0', 'user9', '200', 'service_role'],
              ]);
            }
          }),
        );
      }),
      { numRuns: 15 },
    );
  });
});

describe('explicit transactions', () => {
  const insert = (id: number, end: 'commit' | 'rollback', parent: number | null = null) =>
    path.execute(
      request('user1', 'insert into children values ($1, $2) returning id', {
        params: [`${id}`, parent === null ? null : `${parent}`],
        access: 'read write',
        explicit: { decide: (result) => (texts(result).length === 1 ? end : 'rollback') },
      }),
    );
  const exists = async (id: number) =>
    texts(await path.execute(request('user1', 'select from children where id = $1', { params: [`${id}`] })))
      .length === 1;

  test('keep changes at a commit and discard them at a rollback, and return the rows in both cases', async () => {
    expect(texts(await insert(10, 'commit'))).toEqual([['10']]);
    expect(texts(await insert(11, 'rollback'))).toEqual([['11']]);
    expect([await exists(10), await exists(11)]).toEqual([true, false]);
  });

  test('check deferred constraints in both cases', async () => {
    await expect(insert(12, 'commit', 999)).rejects.toMatchObject({ code: '23503' });
    await expect(insert(13, 'rollback', 999)).rejects.toMatchObject({ code: '23503' });
    expect([await exists(12), await exists(13)]).toEqual([false, false]);
  });

  test('are rolled back after an error of the caller, which is thrown again', async () => {
    const decide = () => {
      throw new Error('not that many');
    };
    const refused = path.execute(
      request('user1', 'insert into children values (14, null)', {
        access: 'read write',
        explicit: { decide },
      }),
    );
    await expect(refused).rejects.toThrow('not that many');
    expect(await exists(14)).toBe(false);
  });

  test('use the isolation level', async () => {
    const result = await path.execute(
      request('user1', 'show transaction_isolation', {
        explicit: { isolation: 'repeatable read', decide: () => 'commit' },
      }),
    );
    expect(texts(result)).toEqual([['repeatable read']]);
  });
});

describe('prepared statements', () => {
  const read = () => request('user1', 'select * from changing');
  const change = (text: string) => fixture.db.database.pool('postgres').exec(text);

  test('are prepared once per role and key', async () => {
    const one = fixture.open({ sharedConnections: 1 });
    for (let turn = 0; turn < 5; turn++) {
      await one.execute(request('user1', 'select 1 as shape'));
      await one.execute(request(undefined, 'select 1 as shape'));
    }
    const count = `select count(*) from pg_prepared_statements where statement = 'select 1 as shape'`;
    expect(texts(await one.execute(request('user1', count)))).toEqual([['2']]);
  });

  test('have a maximum number', async () => {
    const one = fixture.open({ sharedConnections: 1, statementLimit: 10 });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => one.execute(request('user1', `select ${index}`))),
    );
    const count = await one.execute(request('user1', 'select count(*) from pg_prepared_statements'));
    expect(Number(texts(count)[0]?.[0])).toBeLessThanOrEqual(10);
  });

  test('whose result type changed are prepared again on every connection, even with many concurrent requests', async () => {
    await change(
      'create table changing (a int); insert into changing values (1); grant select on changing to authenticated',
    );
    const all = (times: number) => Promise.all(Array.from({ length: times }, () => path.execute(read())));
    await all(50);
    await change('alter table changing add b int default 2');
    for (const { columns } of await all(50)) expect(columns).toEqual(['a', 'b']);
    await change('alter table changing drop column a');
    for (const result of await all(50)) expect(texts(result)).toEqual([['2']]);
  });

  test('that another caller deallocated are prepared again, even with many concurrent requests', async () => {
    const drop = request('user1', 'deallocate all');
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        narrow.execute(index % 10 === 5 ? drop : request('user4', WHO)),
      ),
    );
    expect(answers.length).toBe(60);
    await expectClean();
  });
});

describe('connections', () => {
  test('for slow requests don’t delay others for long', async () => {
    const own = fixture.open({ sharedConnections: 1, slowMs: 5 });
    await own.execute(request('user1', 'select 1'));
    const controller = new AbortController();
    const slow = own.execute(request('user1', 'select pg_sleep(60)', { signal: controller.signal }));
    await sleep(30);
    expect(texts(await own.execute(request('user2', 'select 1')))).toEqual([['1']]);
    controller.abort();
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('for slow requests don’t delay requests that are already waiting', async () => {
    const own = fixture.open({ sharedConnections: 1, depth: 1, slowMs: 5 });
    await own.execute(request('user1', 'select 1'));
    const controller = new AbortController();
    const slow = own.execute(request('user1', 'select pg_sleep(60)', { signal: controller.signal }));
    const waiting = await Promise.all([1, 2, 3].map(() => own.execute(request('user2', WHO))));
    for (const result of waiting)
      expect(texts(result)).toEqual([['authenticated', 'authenticator', 'user2']]);
    controller.abort();
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('for exclusive requests leave connections for the others', async () => {
    const own = fixture.open({ aloneConnections: 1, acquireTimeoutMs: 400 });
    const controller = new AbortController();
    const slow = own.execute(
      request('user1', 'select pg_sleep(60)', { lane: 'alone', signal: controller.signal }),
    );
    await own.execute(request('user2', 'select 1'));
    const refused = own.execute(request('user2', 'select 1', { lane: 'alone' }));
    await expect(refused).rejects.toMatchObject({ code: 'pool_timeout' });
    expect(texts(await own.execute(request('user2', 'select 1')))).toEqual([['1']]);
    controller.abort();
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('discard an abandoned request that is waiting, and don’t cancel one that others are waiting for', async () => {
    const own = fixture.open({ sharedConnections: 1, aloneConnections: 1 });
    await own.execute(request('user1', 'select 1'));
    const controller = new AbortController();
    const first = own.execute(request('user1', 'select pg_sleep(0.1), 1', { signal: controller.signal }));
    const behind = own.execute(request('user2', WHO));
    controller.abort();
    expect(texts(await first)).toEqual([['', '1']]);
    expect(texts(await behind)).toEqual([['authenticated', 'authenticator', 'user2']]);
    const blocker = own.execute(request('user1', 'select pg_sleep(0.2)', { lane: 'alone' }));
    const waiting = new AbortController();
    const dropped = own.execute(request('user1', 'select 1', { lane: 'alone', signal: waiting.signal }));
    waiting.abort();
    await expect(dropped).rejects.toMatchObject({ name: 'AbortError' });
    await blocker;
    await expect(own.execute(request('user1', 'select 1', { signal: waiting.signal }))).rejects.toMatchObject(
      { name: 'AbortError' },
    );
  });

  test('that break are replaced without an effect on clients', async () => {
    const own = fixture.open();
    for (let turn = 0; turn < 3; turn++) {
      await Promise.all(Array.from({ length: 40 }, () => own.execute(request('user2', WHO))));
      expect(await fixture.terminate()).toBeGreaterThan(0);
      const answers = await Promise.all(Array.from({ length: 40 }, () => own.execute(request('user2', WHO))));
      for (const response of answers)
        expect(texts(response)).toEqual([['authenticated', 'authenticator', 'user2']]);
    }
  });

  test('to an unreachable server cause an immediate error, and work again after the server has returned', async () => {
    let reachable = false;
    const connectOptions = () => {
      const target = {
        host: '/nowhere',
        port: 1,
        user: 'authenticator',
        database: 'x',
        sslMode: 'disable' as const,
      };
      return reachable ? fixture.target() : target;
    };
    const healing = fixture.open({ connectOptions });
    await expect(healing.execute(request('user1', WHO))).rejects.toMatchObject({ code: '08001' });
    reachable = true;
    expect(texts(await healing.execute(request('user1', WHO)))).toHaveLength(1);
  });

  test('are closed if they are idle, and `stop` waits for pending requests', async () => {
    const applicationName = 'path idle test';
    const connectOptions = () => ({ ...fixture.target(), applicationName });
    const own = fixture.open({ idleTimeoutMs: 30, connectOptions });
    const backends = () => fixture.backends(applicationName);
    await own.execute(request('user1', WHO));
    for (let turn = 0; (await backends()) > 0 && turn < 100; turn++) await sleep(20);
    expect(await backends()).toBe(0);
    const last = own.execute(request('user1', 'select pg_sleep(0.05), 1'));
    const alone = own.execute(
      request('user1', 'select pg_sleep(0.05), 2', { lane: 'alone', resetAfter: true }),
    );
    await own.stop();
    expect(texts(await last)).toEqual([['', '1']]);
    expect(texts(await alone)).toEqual([['', '2']]);
    await expect(own.execute(request('user1', WHO))).rejects.toMatchObject({ code: 'pool_ended' });
    for (let turn = 0; (await backends()) > 0 && turn < 100; turn++) await sleep(20);
    expect(await backends()).toBe(0);
  });
});
