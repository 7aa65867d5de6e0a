/** Changes at a high rate for one subscriber per node, and then for many users who see only their own rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfTree } from '../../load/processes.ts';
import { tokenOf, userId } from '../../realtime/server.ts';
import { type Audience, anonymous, exactlyOnce, startAudience, total } from '../audience.ts';
import { atMost, type Check, type Line } from '../report.ts';
import { inWorld, rowsTable, type World } from '../world.ts';
import { startWriter } from '../writer.ts';

const perSecond = 2000;
const batch = 10;
const seconds = 15;
const users = 300;
const mostP95Ms = 250;

/** The policy applies to the second table only: the rows of the first one are visible to everyone. */
const ownRows = `
  drop policy everyone on public.rows;
  alter table public.rows add column owner uuid;
  create policy own on public.rows for select to authenticated using (owner = (select auth.uid()));
  truncate public.rows`;

interface Run {
  readonly name: string;
  readonly audiences: readonly Audience[];
  readonly statement?: string;
  /** The rows that the subscribers of an audience must receive. */
  expected(
    acknowledged: readonly number[],
    audience: number,
  ): readonly number[] | readonly (readonly number[])[];
}

async function measure(world: World, run: Run, check: (check: Check) => void): Promise<void> {
  const { nodes, primary } = world;
  const urls = [primary.url('admin', 'app')];
  const cpu = () => [...nodes.map((node) => cpuOf(node.pid())), cpuOfTree(primary.pid())];
  const before = cpu();
  const startedAt = performance.now();
  const { statement } = run;
  const writer = startWriter({ urls, rowsPerSecond: perSecond, batch, ...(statement && { statement }) });
  await sleep(seconds * 1000);
  await writer.stop();
  const tallies = await Promise.all(
    run.audiences.map((audience, index) =>
      audience.ask({ expected: run.expected(writer.acknowledged, index), waitMs: 20_000 }),
    ),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  const cores = cpu().map((micros, index) => ((micros - (before[index] ?? 0)) / 1e6 / elapsed).toFixed(2));
  const rate = writer.acknowledged.length / seconds;
  const tally = total(tallies);
  check(exactlyOnce(run.name, tally));
  check({
    name: `${run.name}: rate`,
    figure: `${rate.toFixed(0)} changes/s; CPU cores of the nodes ${cores.slice(0, 3).join(', ')}, of PostgreSQL ${cores[3]}`,
    limit: `at least ${perSecond * 0.95} changes/s`,
    isMet: rate >= perSecond * 0.95,
  });
  check(atMost(`${run.name}: 95% of the changes received within`, tally.p95Ms, mostP95Ms, 'ms'));
  for (const audience of run.audiences) audience.stop();
}

export const fanOut: Line = {
  name: 'fan-out',
  title: `${perSecond} changes/s in transactions of ${batch} rows, delivered by three nodes`,
  run: (check) =>
    inWorld({ nats: true, schema: rowsTable }, async (world) => {
      const { nodes, keys } = world;
      const audience = (tokensOf: (node: number) => string[]) =>
        Promise.all(
          nodes.map(({ url }, node) =>
            startAudience(world, {
              url,
              name: `node${node}`,
              key: keys.PUBLISHABLE_KEY,
              tokens: tokensOf(node),
            }),
          ),
        );
      const name = 'one subscriber per node';
      const audiences = await audience(() => anonymous(1));
      await measure(world, { name, audiences, expected: (acknowledged) => acknowledged }, check);
      const client = await world.connect();
      await client.query(ownRows);
      const each = users / nodes.length;
      const userOf = (node: number, index: number): number => node * each + index;
      const list = (node: number) => Array.from({ length: each }, (_, index) => userOf(node, index));
      const own = {
        name: `${users} users, one recipient per change`,
        audiences: await audience((node) => list(node).map((user) => tokenOf(keys.JWT_SECRET, user))),
        statement: `insert into public.rows (id, owner)
          select id, ('${userId(0).slice(0, -12)}' || lpad((id % ${users})::text, 12, '0'))::uuid
          from unnest($1::bigint[]) as id`,
        expected: (acknowledged: readonly number[], node: number) =>
          list(node).map((user) => acknowledged.filter((id) => id % users === user)),
      };
      await measure(world, own, check);
    }),
};
