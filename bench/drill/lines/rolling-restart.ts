/** The nodes are restarted one after another while requests and subscribers use HAProxy. */

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nextMessage, startChild } from '../../load/processes.ts';
import { anonymous, exactlyOnce, startAudience, total } from '../audience.ts';
import type { Line } from '../report.ts';
import type { RequestsResult } from '../requests.ts';
import { inWorld, rowsTable, type World } from '../world.ts';
import { startWriter } from '../writer.ts';

const least = 30_000;
const perSecond = 500;
const changesPerSecond = 40;
const audiences = 2;
const subscribersEach = 150;

const schema = `${rowsTable};
  create table public.requests (id bigint primary key);
  alter table public.requests enable row level security;
  create policy everyone on public.requests using (true) with check (true);
  grant all on public.requests to anon;
  notify pgrst, 'reload schema'`;

/** HAProxy needs two successful checks, which it sends twice per second, before it uses a node. */
const settleMs = 3000;

async function restartAll({ nodes }: World): Promise<void> {
  for (const node of nodes) {
    await node.stop();
    await node.start();
    await sleep(settleMs);
  }
}

async function requestsDuring(world: World, work: () => Promise<void>): Promise<RequestsResult> {
  const child = startChild(fileURLToPath(new URL('../requests.ts', import.meta.url)));
  world.onStop(() => child.kill('SIGKILL'));
  const key = world.keys.PUBLISHABLE_KEY;
  child.send({ url: world.balancer?.url, key, perSecond, least, table: 'requests' });
  await sleep(3000);
  await work();
  child.send('stop');
  return await nextMessage<RequestsResult>(child);
}

export const restartRequests: Line = {
  name: 'restart-requests',
  title: `A rolling restart at ${perSecond} requests/s`,
  run: (check) =>
    inWorld({ nats: true, balancer: true, schema }, async (world) => {
      const { sent, seconds, failures, p99Ms } = await requestsDuring(world, () => restartAll(world));
      const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
      check({
        name: 'failed requests',
        figure:
          `${failed} of ${sent} (${(sent / seconds).toFixed(0)}/s, p99 ${p99Ms.toFixed(0)} ms)` +
          (failed === 0 ? '' : ` ${JSON.stringify(failures)}`),
        limit: `0 of at least ${least}`,
        isMet: failed === 0 && sent >= least,
      });
    }),
};

export const restartSubscribers: Line = {
  name: 'restart-subscribers',
  title: `A rolling restart with ${audiences * subscribersEach} subscribers at ${changesPerSecond} changes/s`,
  run: (check) =>
    inWorld({ nats: true, balancer: true }, async (world) => {
      const job = { url: world.balancer?.url ?? '', key: world.keys.PUBLISHABLE_KEY };
      const tokens = anonymous(subscribersEach);
      const all = [];
      for (let index = 0; index < audiences; index++)
        all.push(await startAudience(world, { ...job, name: `audience${index}`, tokens }));
      const urls = [world.primary.url('admin', 'app')];
      const writer = startWriter({ urls, rowsPerSecond: changesPerSecond });
      await sleep(3000);
      await restartAll(world);
      await sleep(3000);
      await writer.stop();
      const question = { expected: writer.acknowledged, waitMs: 30_000 };
      const tally = total(await Promise.all(all.map((each) => each.ask(question))));
      check(exactlyOnce('changes', tally));
    }),
};
