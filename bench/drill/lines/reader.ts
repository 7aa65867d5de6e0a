/** The node that reads the changes for the group is killed while rows are written. */
import { setTimeout as sleep } from 'node:timers/promises';
import { anonymous, exactlyOnce, onceOrTold, startAudience, total } from '../audience.ts';
import type { Node } from '../node.ts';
import { atMost, type Line } from '../report.ts';
import { ownsPort } from '../sockets.ts';
import { inWorld, type World } from '../world.ts';
import { startWriter } from '../writer.ts';

const perSecond = 200;

/** Returns the node that reads the group's slot. */
export async function findReader(world: World): Promise<Node> {
  const client = await world.connect();
  const deadline = performance.now() + 30_000;
  for (;;) {
    const { rows } = await client.query(
      `select client_port as port from pg_replication_slots join pg_stat_activity on pid = active_pid
       where slot_type = 'logical'`,
    );
    const readers = world.nodes.filter((node) => rows.some(({ port }) => ownsPort(node.pid(), port)));
    const [reader] = readers;
    if (reader !== undefined && readers.length === 1) return reader;
    if (performance.now() > deadline)
      throw new Error(`${readers.length} nodes read changes, instead of one.`);
    await sleep(200);
  }
}

export const reader: Line = {
  name: 'reader',
  title: `The node that reads the changes is killed at ${perSecond} changes/s`,
  run: (check) =>
    inWorld({ nats: true }, async (world) => {
      const { nodes, keys, primary } = world;
      const jobs = nodes.map(({ url }) => ({
        url,
        name: new URL(url).port,
        key: keys.PUBLISHABLE_KEY,
        tokens: anonymous(10),
      }));
      const audiences = await Promise.all(jobs.map((job) => startAudience(world, job)));
      const killed = await findReader(world);
      const writer = startWriter({ urls: [primary.url('admin', 'app')], rowsPerSecond: perSecond });
      await sleep(5000);
      await killed.kill();
      const killedAt = performance.now();
      const next = await findReader({ ...world, nodes: nodes.filter((node) => node !== killed) as never });
      check(atMost('another node reads changes', (performance.now() - killedAt) / 1000, 5, 's'));
      await sleep(5000);
      await killed.start();
      // The clients of the killed node connect again by themselves.
      await sleep(15_000);
      await writer.stop();
      const question = { expected: writer.acknowledged, waitMs: 20_000 };
      const tallies = await Promise.all(audiences.map((audience) => audience.ask(question)));
      const of = (isKilled: boolean) =>
        total(tallies.filter((_, index) => (nodes[index] === killed) === isKilled));
      check(exactlyOnce('subscribers of the other nodes', of(false)));
      check(onceOrTold('subscribers of the killed node', of(true)));
      if (next === killed) throw new Error('The killed node reads changes.');
    }),
};
