/** The primary is killed, and the synchronous standby is promoted. The URL of the nodes contains both servers. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ExternalServer } from '../../../test/database/external-server.ts';
import { anonymous, onceOrTold, startAudience } from '../audience.ts';
import { atMost, type Line } from '../report.ts';
import { inWorld, type World } from '../world.ts';
import { longestPause, startWriter } from '../writer.ts';

/** Writes rows through the API of a node, one after another, and returns the IDs that it has acknowledged. */
function startApiWriter({ nodes, keys }: World, firstId: number) {
  const acknowledged: number[] = [];
  const times: number[] = [];
  let isStopped = false;
  const headers = { apikey: keys.PUBLISHABLE_KEY, 'content-type': 'application/json' };
  const done = (async () => {
    for (let id = firstId; !isStopped; id++) {
      const node = nodes[id % nodes.length];
      const body = JSON.stringify({ id });
      const signal = AbortSignal.timeout(2000);
      const sent = fetch(`${node?.url}/rest/v1/rows`, { method: 'POST', headers, body, signal });
      const response = await sent.catch(() => undefined);
      if (response?.status === 201) {
        acknowledged.push(id);
        times.push(performance.now());
      } else await sleep(50);
      await response?.arrayBuffer().catch(() => undefined);
    }
  })();
  return {
    acknowledged,
    times,
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

/** Opens a connection to the promoted server. */
async function connectTo(server: ExternalServer): Promise<pg.Client> {
  const client = new pg.Client(server.url('admin', 'app'));
  await client.connect();
  return client;
}

export const failover: Line = {
  name: 'failover',
  title: 'The primary is killed, and the synchronous standby is promoted',
  run: (check) =>
    inWorld({ standby: true, nats: true }, async (world) => {
      const { primary, standby, nodes, keys } = world;
      if (standby === undefined) throw new Error('This line needs a standby.');
      const jobs = nodes.map(({ url }) => ({
        url,
        name: new URL(url).port,
        key: keys.PUBLISHABLE_KEY,
        tokens: anonymous(5),
      }));
      const audiences = await Promise.all(jobs.map((job) => startAudience(world, job)));
      const urls = [primary.url('admin', 'app'), standby.url('admin', 'app')];
      const sql = startWriter({ urls, rowsPerSecond: 100 });
      const api = startApiWriter(world, 1_000_000);
      await sleep(5000);
      await primary.crash();
      const promotion = await connectTo(standby);
      await promotion.query('select pg_promote(true, 30)');
      await sleep(20_000);
      await Promise.all([sql.stop(), api.stop()]);
      check(atMost('writes through the nodes pause', longestPause(api), 5, 's'));
      const acknowledged = [...sql.acknowledged, ...api.acknowledged];
      const { rows } = await promotion.query(
        'select count(*)::int as present from unnest($1::bigint[]) as wanted join public.rows on id = wanted',
        [acknowledged],
      );
      await promotion.end();
      const lost = acknowledged.length - rows[0].present;
      check({
        name: 'acknowledged rows that are missing',
        figure: `${lost} of ${acknowledged.length}`,
        limit: '0',
        isMet: lost === 0,
      });
      const question = { expected: acknowledged, waitMs: 20_000 };
      for (const [index, audience] of audiences.entries())
        check(onceOrTold(`subscribers of node ${index + 1}`, await audience.ask(question)));
    }),
};
