/** Tests the decisions about branches: which servers run, what is deleted, and what an interruption leaves behind. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../../base/kernel/log.ts';
import type { AdmittedOperator, BranchOperator } from '../../../pages/console/index.ts';
import { configFrom, createLiveConfig } from '../../../platform/config/index.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { type BranchesService, createBranches } from './branches.ts';
import type { BranchesDeps, StartBranchServer } from './types.ts';

const day = 86_400_000;

let dir: string;
let now: number;
let opened: BranchesService[];

beforeEach(() => {
  // Only the search for unused branches is repeated.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  dir = mkdtempSync(join(tmpdir(), 'plinth-branches-'));
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true });
  now = Date.UTC(2026, 0, 1);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.stop()));
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

/** Starts servers that serve nothing. `running` contains the data folders of those that run. */
function fakeServers() {
  const running = new Set<string>();
  /** The operators that were sent to the servers, in their order. */
  const sent: (readonly AdmittedOperator[])[] = [];
  const start: StartBranchServer = async ({ dataDir }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(dataDir);
    return {
      ports: { api: 1, console: 2, database: 3 },
      status: {},
      manage: async (name) => name,
      signInLink: async () => '',
      setOperators: async (operators) => void sent.push(operators),
      stop: async () => {
        running.delete(dataDir);
        resolve();
      },
      ended: promise,
    };
  };
  return { running, start, sent };
}

interface Given extends Partial<Pick<BranchesDeps, 'start'>> {
  readonly settings?: object;
  /** Answers the query for the project's migrations. */
  readonly history?: () => Promise<object[]>;
  readonly operators?: BranchesDeps['operators'];
}

async function open({
  settings = {},
  start = fakeServers().start,
  history = async () => [],
  operators = async () => [],
}: Given = {}) {
  const pool = () => ({ query: history }) as unknown as Queryable;
  const service = createBranches({
    source: {
      database: { info: { embedded: true }, pool } as unknown as BranchesDeps['source']['database'],
      dataDir: join(dir, 'data'),
      supabaseDir: join(dir, 'supabase'),
      storesBodies: true,
      extensionFolders: [],
      reservedBytes: undefined,
    },
    projectDir: dir,
    config: createLiveConfig(configFrom({ plinth: { branches: settings } })),
    start,
    operators,
    machine: { cores: 1, memoryBytes: 1024 ** 3 },
    now: () => now,
    log: silentLogger,
  });
  opened.push(service);
  await service.start();
  return service;
}

const wanted = (name: string, isPersistent = false) => ({
  name,
  gitBranch: undefined,
  withData: false,
  isMasked: undefined,
  isPersistent,
  fromTime: undefined,
});

const namesOf = (service: BranchesService): string[] => service.list().map(({ name }) => name);
const owner = { name: 'owner', role: 'owner' } as const;

test('unused branches are deleted after the configured time, except persistent ones and those in use', async () => {
  const service = await open({ settings: { delete_after: '7d' } });
  const [unused] = [
    await service.create(wanted('unused'), 'ann'),
    await service.create(wanted('kept', true), 'ann'),
    await service.create(wanted('used'), 'ann'),
  ];
  now += 6 * day;
  await service.manage(service.list()[2]?.id ?? '', 'getProject', {}, owner);
  now += day - 1;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(namesOf(service)).toEqual(['unused', 'kept', 'used']);
  now += 1;
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(namesOf(service)).toEqual(['kept', 'used']));
  expect(existsSync(join(dir, 'data', 'branches', unused?.ref ?? ''))).toBe(false);
});

test('a branch that is in use is not deleted, however long ago the use began', async () => {
  const call = Promise.withResolvers<string>();
  const { start } = fakeServers();
  const service = await open({
    settings: { delete_after: '1d' },
    start: async (...given) => ({ ...(await start(...given)), manage: () => call.promise }),
  });
  const { id } = await service.create(wanted('long'), 'ann');
  const used = service.manage(id, 'runQuery', {}, owner);
  now += 2 * day;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(namesOf(service)).toEqual(['long']);
  call.resolve('done');
  await used;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(namesOf(service)).toEqual(['long']);
  now += day;
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(namesOf(service)).toEqual([]));
});

test('no more servers run than configured: the one that was used longest ago makes room', async () => {
  const { running, start } = fakeServers();
  const service = await open({ settings: { max_running: 2 }, start });
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    now += 1000;
    ids.push((await service.create(wanted(name), 'ann')).id);
    expect(running.size).toBeLessThanOrEqual(2);
  }
  const states = () => service.list().map(({ name, isRunning }) => [name, isRunning]);
  expect(states()).toEqual([
    ['one', false],
    ['two', true],
    ['three', true],
  ]);
  now += 1000;
  await service.manage(ids[1] ?? '', 'getProject', {}, owner);
  await service.manage(ids[0] ?? '', 'getProject', {}, owner);
  expect(states()).toEqual([
    ['one', true],
    ['two', true],
    ['three', false],
  ]);
});

test('servers in use are not stopped for others, even if several start concurrently', async () => {
  const call = Promise.withResolvers<string>();
  const { running, start } = fakeServers();
  const service = await open({
    settings: { max_running: 2 },
    start: async (...given) => ({ ...(await start(...given)), manage: () => call.promise }),
  });
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three', 'four'])
    ids.push((await service.create(wanted(name), 'ann')).id);
  const calls = ids.map((id) => service.manage(id, 'getProject', {}, owner));
  const results = Promise.allSettled(calls);
  await vi.waitFor(() => expect(running.size).toBe(2));
  call.resolve('done');
  const refused = (await results).filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'all_running' } }, { reason: { code: 'all_running' } }]);
});

/** The number of ports on which this process listens. */
const openPorts = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test('a branch that is deleted while it is created leaves neither files nor open ports', async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<object[]>();
  const history = () => {
    reached.resolve();
    return gate.promise;
  };
  const service = await open({ history });
  const created = service.create(wanted('gone'), 'ann');
  await reached.promise;
  const [{ id = '' } = {}] = service.list();
  const removed = service.remove(id);
  await expect(service.reset(id, undefined)).rejects.toMatchObject({ code: 'busy' });
  await expect(service.manage(id, 'getProject', {}, owner)).rejects.toMatchObject({ code: 'not_ready' });
  gate.resolve([]);
  await Promise.all([removed, created]);
  expect([namesOf(service), readdirSync(join(dir, 'data', 'branches'))]).toEqual([[], []]);
  await vi.waitFor(() => expect(openPorts()).toBe(0));
});

test('a creation that fails leaves no data, and its branch can be reset', async () => {
  let isBroken = true;
  const service = await open({
    history: async () => {
      if (isBroken) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return [];
    },
  });
  const { id, ref, status, problem } = await service.create(wanted('full'), 'ann');
  expect([status, problem]).toEqual(['MIGRATIONS_FAILED', 'no space left on device']);
  expect(readdirSync(join(dir, 'data', 'branches', ref)).sort()).toEqual(['branch.json', 'project']);
  isBroken = false;
  expect((await service.reset(id, undefined)).status).toBe('FUNCTIONS_DEPLOYED');
});

test('a creation that was interrupted is shown as failed at the next start, and can be reset', async () => {
  const gate = Promise.withResolvers<object[]>();
  const first = await open({ history: () => gate.promise });
  const created = first.create(wanted('half'), 'ann');
  const second = await open();
  expect(second.list()).toMatchObject([{ name: 'half', status: 'MIGRATIONS_FAILED' }]);
  const [{ id = '' } = {}] = second.list();
  await expect(second.manage(id, 'getProject', {}, owner)).rejects.toMatchObject({ code: 'not_ready' });
  expect((await second.reset(id, undefined)).status).toBe('FUNCTIONS_DEPLOYED');
  const stopped = first.stop();
  gate.resolve([]);
  await Promise.all([stopped, created]);
});

test('operators who opened a branch get their current role with each start, within a minute and after a change', async () => {
  const { start, sent } = fakeServers();
  const people: BranchOperator[] = [{ name: 'ann', role: 'developer' }];
  const service = await open({ start, operators: async () => people, settings: { idle_timeout: '1s' } });
  const { id } = await service.create(wanted('shared'), 'ann');
  await service.operatorsChanged();
  expect(sent).toEqual([]);
  await service.signInLink(id, { name: 'ann', role: 'developer' });
  people[0] = { name: 'ann', role: 'read-only' };
  await service.operatorsChanged();
  people.pop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([[{ name: 'ann', role: 'read-only' }], [{ name: 'ann', role: null }]]);
  await service.stop();
  // Only the record of the branch remains.
  const again = await open({ start, operators: async () => people });
  await again.manage(id, 'getProject', {}, owner);
  expect(sent).toHaveLength(3);
});

test("applying changed operators isn't a use, so that an unused server still stops", async () => {
  const { start, running } = fakeServers();
  const service = await open({ start, operators: async () => [], settings: { idle_timeout: '1s' } });
  const { id } = await service.create(wanted('idle'), 'ann');
  await service.signInLink(id, owner);
  await vi.waitFor(
    async () => {
      await service.operatorsChanged();
      expect(running.size).toBe(0);
    },
    { timeout: 30_000 },
  );
});

test('two branches with the same name, or more than the maximum, are refused even at the same time', async () => {
  const service = await open({ settings: { max: 2 } });
  const results = await Promise.allSettled(
    ['a', 'a', 'b', 'c'].map((name) => service.create(wanted(name), 'ann')),
  );
  expect(results.map((each) => (each.status === 'rejected' ? each.reason.code : 'created'))).toEqual([
    'created',
    'name_taken',
    'created',
    'too_many',
  ]);
});

test('the files of a deleted branch are removed without blocking the server', async () => {
  const service = await open();
  const { id, ref } = await service.create(wanted('large'), 'ann');
  const folder = join(dir, 'data', 'branches', ref, 'data', 'storage');
  for (let number = 0; number < 300; number++) mkdirSync(join(folder, String(number)), { recursive: true });
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (existsSync(folder)) setImmediate(turn);
  };
  const removed = service.remove(id);
  turn();
  await removed;
  expect(existsSync(folder)).toBe(false);
  expect(turns).toBeGreaterThan(5);
});

test("recorded migrations can't lead out of the branch's folder", async () => {
  const service = await open({
    history: async () => [
      { version: '../../../../outside', name: 'x', statements: ['select 1'] },
      { version: '20260101000000', name: '../../y', statements: ['select 1'] },
    ],
  });
  const { ref } = await service.create(wanted('paths'), 'ann');
  const files = readdirSync(dir, { recursive: true }).map(String);
  expect(files.filter((path) => path.includes('outside'))).toEqual([]);
  expect(readdirSync(join(dir, 'data', 'branches', ref, 'project', 'supabase', 'migrations'))).toEqual([
    '20260101000000_.._.._y.sql',
  ]);
});

test('a record that is damaged does not delete the data of its branch', async () => {
  const folder = join(dir, 'data', 'branches', 'abcdefghijklmnopqrst');
  mkdirSync(join(folder, 'data'), { recursive: true });
  mkdirSync(join(dir, 'data', 'branches', 'leftover', 'data'), { recursive: true });
  mkdirSync(join(folder, 'removed-half', 'postgres'), { recursive: true });
  writeFileSync(join(folder, 'branch.json'), '{"id":');
  await open();
  await vi.waitFor(() => {
    expect(readdirSync(join(dir, 'data', 'branches'))).toEqual(['abcdefghijklmnopqrst']);
    expect(readdirSync(folder).sort()).toEqual(['branch.json', 'data']);
  });
});
