/** Tests the Console's view of several servers that share an external database. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { type Operator, operator } from '../console/harness.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

const folder = temporaryFolder();
let server: ExternalServer;
let nodes: readonly [Backend, Backend, Backend];
let owner: Operator;
let reader: Operator;
beforeAll(async () => {
  vi.stubEnv('PLINTH_SECRET', 'the secret that all of these servers have');
  const [newest] = availableServers();
  const dir = join(folder.path, 'server');
  mkdirSync(dir, { mode: 0o755 });
  server = await startExternalServer(newest?.bin as string, dir);
  const url = server.url('admin');
  nodes = [await start('one', url), await start('two', url), await start('three', url)];
  owner = await operator(nodes[0]);
  await nodes[0].operators.createOperator('reader', 'read-only');
  reader = await operator(nodes[0], 'reader');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all((nodes ?? []).map((backend) => backend.stop()));
  await server?.stop();
  folder.remove();
});

async function start(name: string, databaseUrl: string): Promise<Backend> {
  const projectDir = join(folder.path, name);
  mkdirSync(join(projectDir, 'supabase', 'functions', 'hello'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "view"\n');
  writeFileSync(
    join(projectDir, 'supabase', 'functions', 'hello', 'index.ts'),
    `Deno.serve((request) => { console.log('said by ${name}'); return new Response('${name}'); });`,
  );
  const dataDir = join(projectDir, '.plinth');
  const backend = await createBackend({
    ...{ projectDir, dataDir, databaseUrl, mode: 'production', exclude: ['storage'] },
    ...{ port: 0, consolePort: 0, mailPort: 0 },
  });
  await backend.start();
  return backend;
}

const call = async ({ url, keys }: Backend, path: string): Promise<number> => {
  const headers = { apikey: keys.secretKey };
  return (await fetch(`${url}${path}`, { headers })).status;
};

interface Page {
  entries: { at: number; path: string; node?: string; query?: string }[];
  next: string | null;
  nodes: { answered: Named[]; missing: Named[]; others: Named[] };
}
interface Named {
  id: string;
  name: string;
}

const logs = async (who: Operator, query: string): Promise<Page> =>
  (await who.call('GET', `/logs?service=rest&${query}`)).body;

const run = (statement: string): Promise<void> => nodes[0].database.pool('supabase_admin').exec(statement);

/** Adds a node that doesn't answer, for the time of a test. */
async function withStuckNode(test: () => Promise<void>): Promise<void> {
  await run(`insert into _plinth.group_nodes (id, name, version, storage_kind)
    values ('00000000-0000-4000-8000-000000000000', 'stuck', '0.0.1', 'none')`);
  try {
    await test();
  } finally {
    await run(`delete from _plinth.group_nodes where name = 'stuck'`);
  }
}

test('the nodes page lists all nodes with their state, also to read-only operators', async () => {
  for (const who of [owner, reader]) {
    const { status, body } = await who.call('GET', '/nodes');
    expect(status).toBe(200);
    expect(body.nodes.map(({ isSelf }: { isSelf: boolean }) => isSelf)).toEqual([true, false, false]);
    for (const { facts, state } of body.nodes) {
      expect(state).toBe('degraded');
      expect(facts.memoryBytes).toBeGreaterThan(0);
      expect(facts.problems.map(({ check }: { check: string }) => check)).toContain('mail');
    }
  }
  expect((await nodes[0].console.fetch('/console/api/nodes')).status).toBe(401);
});

test('logs of all nodes are merged page by page, and can be filtered by node', async () => {
  for (let round = 0; round < 4; round++)
    for (const [index, node] of nodes.entries()) {
      // Entries of the same millisecond have no order.
      await sleep(3);
      await call(node, `/rest/v1/round_${round}_${index}?token=hidden`);
    }
  const paths: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await logs(
      owner,
      `path=round_&limit=5${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect(page.nodes.answered).toHaveLength(3);
    for (const { node, path, query } of page.entries) {
      const [, , index] = path.split('_');
      expect(node).toBe(page.nodes.answered[Number(index)]?.name);
      expect(query).toBe('token=…');
    }
    paths.push(...page.entries.map(({ path }) => path));
    cursor = page.next;
  }
  const expected = [3, 2, 1, 0].flatMap((round) =>
    [2, 1, 0].map((index) => `/rest/v1/round_${round}_${index}`),
  );
  expect(paths).toEqual(expected);
  const { nodes: all } = await logs(reader, 'path=round_');
  const [, second] = all.answered;
  const filtered = await logs(reader, `path=round_&node=${second?.id}`);
  expect(filtered.entries.map(({ path }) => path)).toEqual(
    [3, 2, 1, 0].map((round) => `/rest/v1/round_${round}_1`),
  );
  expect(filtered.nodes).toEqual({
    answered: [second],
    missing: [],
    others: [all.answered[0], all.answered[2]],
  });
});

test('a request is found from any node', async () => {
  const response = await fetch(`${nodes[2].url}/rest/v1/elsewhere`, {
    headers: { apikey: nodes[2].keys.secretKey },
  });
  const id = response.headers.get('x-request-id') ?? response.headers.get('sb-request-id');
  const { body } = await owner.call('GET', `/logs/requests/${id}`);
  expect(body.entries.at(-1)).toMatchObject({ path: '/rest/v1/elsewhere', node: expect.any(String) });
});

test('secrets in the entries of other nodes are masked', async () => {
  const { secretKey } = nodes[1].keys;
  await call(nodes[1], `/rest/v1/masked_${secretKey}`);
  const { entries } = await logs(reader, 'path=masked_');
  expect(entries.map(({ path }) => path)).toEqual(['/rest/v1/masked_[secret key]']);
  // A search must not reveal the secret one character at a time.
  expect((await logs(reader, `path=masked_${secretKey.slice(0, 12)}`)).entries).toEqual([]);
});

test('new entries of all nodes are streamed', async () => {
  const stopping = new AbortController();
  const response = await nodes[0].console.fetch('/console/api/logs/tail?service=rest&path=streamed', {
    headers: { cookie: reader.cookie, 'x-plinth-request': '1' },
    signal: stopping.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await sleep(500);
  for (const [index, node] of nodes.entries()) await call(node, `/rest/v1/streamed_${index}`);
  await expect
    .poll(() => [0, 1, 2].every((index) => text.includes(`streamed_${index}`)), { timeout: 5000 })
    .toBe(true);
  stopping.abort();
  await reading;
  expect(text.match(/streamed_/g)).toHaveLength(3);
});

test('metrics are added up, or those of a node are shown', async () => {
  const of = async (query: string) => {
    const { body } = await owner.call('GET', `/metrics?minutes=15${query}`);
    const rest = body.services.find(({ service }: { service: string }) => service === 'rest');
    return { requests: Number(rest?.total.requests ?? 0), nodes: body.nodes as Page['nodes'] };
  };
  for (let index = 0; index < 5; index++) await call(nodes[1], '/rest/v1/counted');
  const all = await of('');
  const each = await Promise.all(all.nodes.answered.map(({ id }) => of(`&node=${id}`)));
  expect(each.every(({ requests }) => requests > 0)).toBe(true);
  expect(all.requests).toBe(each.reduce((sum, { requests }) => sum + requests, 0));
  const { body } = await owner.call('GET', '/home/overview');
  expect(body.traffic.requests.reduce((sum: number, one: number) => sum + one, 0)).toBeGreaterThanOrEqual(
    all.requests,
  );
});

describe('functions', () => {
  test('activity, invocations and output of all nodes are merged', async () => {
    for (const node of nodes)
      await expect.poll(() => call(node, '/functions/v1/hello'), { timeout: 40_000 }).toBe(200);
    const activity = await reader.call('GET', '/functions/hello/activity');
    const total = activity.body.minutes.reduce(
      (sum: number, minute: { requests: number }) => sum + minute.requests,
      0,
    );
    const { body } = await reader.call('GET', '/functions/hello/invocations');
    expect(body.invocations).toHaveLength(total);
    expect(new Set(body.invocations.map(({ node }: { node: string }) => node)).size).toBe(3);
    const output = await reader.call('GET', '/functions/hello/logs?search=said');
    const lines: { node: string; line: string }[] = output.body.lines;
    for (const name of ['one', 'two', 'three'])
      expect(lines.map(({ line }) => line)).toContain(`said by ${name}`);
    expect(new Set(lines.map(({ node }) => node)).size).toBe(3);
  });

  test('output of all nodes is streamed once', async () => {
    const stopping = new AbortController();
    const response = await nodes[0].console.fetch('/console/api/functions/hello/logs/live?search=said', {
      headers: { cookie: owner.cookie, 'x-plinth-request': '1' },
      signal: stopping.signal,
    });
    const lines: { id: number; node: string; line: string }[] = [];
    const reading = (async () => {
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts)
          lines.push(...(JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? '{"entries":[]}')?.entries ?? []));
      }
    })().catch(() => undefined);
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(3);
    const before = lines.length;
    for (const node of nodes) expect(await call(node, '/functions/v1/hello')).toBe(200);
    await expect.poll(() => lines.length, { timeout: 5000 }).toBe(before + 3);
    await sleep(1500);
    stopping.abort();
    await reading;
    expect(new Set(lines.map(({ id, node }) => `${node} ${id}`)).size).toBe(before + 3);
  });
});

test('a node that doesn’t answer is named, and the others are shown', async () => {
  await withStuckNode(async () => {
    const startedAt = performance.now();
    const page = await logs(owner, 'path=round_');
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(page.entries.length).toBeGreaterThan(0);
    expect([page.nodes.answered.length, page.nodes.missing.map(({ name }) => name)]).toEqual([3, ['stuck']]);
    const { body } = await owner.call('GET', '/nodes');
    expect(body.nodes.at(-1)).toMatchObject({
      name: 'stuck',
      state: 'silent',
      isOtherVersion: true,
      facts: null,
    });
    const problems = await owner.call('GET', '/home/problems');
    expect(problems.body.problems).toContainEqual({
      kind: 'node-missing',
      severity: 'error',
      node: 'stuck',
      isGone: false,
    });
  });
});

test('a problem of another node is shown with its name, but not a problem that all nodes have', async () => {
  writeFileSync(
    join(folder.path, 'two', 'supabase', 'config.toml'),
    'project_id = "view"\n[api]\nmax_rows = "many"\n',
  );
  const found = async () => (await owner.call('GET', '/home/problems')).body.problems;
  try {
    await expect.poll(found).toContainEqual({
      kind: 'node',
      severity: 'warning',
      node: (await owner.call('GET', '/nodes')).body.nodes[1].name,
      check: 'settings',
      message: expect.stringContaining('The settings files are invalid since'),
    });
    expect((await found()).some(({ check }: { check?: string }) => check === 'mail')).toBe(false);
  } finally {
    writeFileSync(join(folder.path, 'two', 'supabase', 'config.toml'), 'project_id = "view"\n');
  }
});

test('a stopped node leaves the list', async () => {
  await nodes[2].stop();
  const { body } = await owner.call('GET', '/nodes');
  expect(body.nodes).toHaveLength(2);
  const page = await logs(owner, 'path=round_');
  expect([page.nodes.answered.length, page.nodes.missing]).toEqual([2, []]);
});
