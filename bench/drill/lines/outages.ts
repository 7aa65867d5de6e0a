/** NATS and the S3 server are killed and started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';
import { anonymous, exactlyOnce, startAudience, total } from '../audience.ts';
import { atMost, type Check, type Line } from '../report.ts';
import { inWorld, type World } from '../world.ts';
import { startWriter } from '../writer.ts';

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}

const awayMs = 5000;
const degraded = '200 degraded, storage failing';

/** Sends numbered broadcasts from a client of one node to a client of another node. */
async function startBroadcasts({ nodes: [one, two], keys, onStop }: World) {
  const receiver = createClient(one.url, keys.PUBLISHABLE_KEY);
  const sender = createClient(two.url, keys.PUBLISHABLE_KEY);
  let lastAt = 0;
  const join = (client: typeof sender, prepare = (channel: ReturnType<typeof client.channel>) => channel) =>
    new Promise<ReturnType<typeof client.channel>>((resolve) => {
      const channel = prepare(client.channel('room'));
      channel.subscribe((status) => status === 'SUBSCRIBED' && resolve(channel));
    });
  await join(receiver, (channel) =>
    channel.on('broadcast', { event: 'said' }, () => {
      lastAt = performance.now();
    }),
  );
  const channel = await join(sender);
  const timer = setInterval(() => void channel.send({ type: 'broadcast', event: 'said', payload: {} }), 100);
  onStop(async () => {
    clearInterval(timer);
    await Promise.all([receiver.realtime.disconnect(), sender.realtime.disconnect()]);
  });
  return {
    /** Waits for the next broadcast, and returns the time until it was received in seconds. */
    async next(): Promise<number> {
      const from = performance.now();
      while (lastAt < from) {
        if (performance.now() - from > 60_000) return Number.POSITIVE_INFINITY;
        await sleep(20);
      }
      return (lastAt - from) / 1000;
    },
  };
}

async function natsOutage(world: World, check: (check: Check) => void): Promise<void> {
  const { nodes, keys, primary, nats } = world;
  const jobs = nodes.map(({ url }) => ({
    url,
    name: new URL(url).port,
    key: keys.PUBLISHABLE_KEY,
    tokens: anonymous(5),
  }));
  const audiences = await Promise.all(jobs.map((job) => startAudience(world, job)));
  const broadcasts = await startBroadcasts(world);
  await broadcasts.next();
  const writer = startWriter({ urls: [primary.url('admin', 'app')], rowsPerSecond: 100 });
  await sleep(3000);
  await nats?.kill();
  await sleep(awayMs);
  await nats?.start();
  check(atMost('broadcasts from another node after NATS is back', await broadcasts.next(), 5, 's'));
  await sleep(10_000);
  await writer.stop();
  const question = { expected: writer.acknowledged, waitMs: 20_000 };
  const tallies = await Promise.all(audiences.map((audience) => audience.ask(question)));
  check(exactlyOnce('changes while NATS was away', total(tallies)));
}

async function s3Outage({ nodes: [one, , three], keys, s3 }: World, check: (check: Check) => void) {
  const headers = { apikey: keys.SECRET_KEY, authorization: `Bearer ${keys.SECRET_KEY}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const bucket = JSON.stringify({ name: 'drill' });
  await fetch(`${one.url}/storage/v1/bucket`, { method: 'POST', headers: json, body: bucket });
  const upload = async (name: string): Promise<number> => {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'text' };
    return (await fetch(`${three.url}/storage/v1/object/drill/${name}`, init)).status;
  };
  const before = await upload('before.txt');
  s3.stop();
  const during = await upload('during.txt');
  check({
    name: 'an upload while S3 is away',
    figure: `${during} (before: ${before})`,
    limit: '503 (before: 200)',
    isMet: during === 503 && before === 200,
  });
  const storageCheck = async (): Promise<string> => {
    const response = await fetch(`${three.url}/health/ready`);
    const body = (await response.json()) as Readiness;
    return `${response.status} ${body.status}, storage ${body.checks.storage?.status}`;
  };
  let readiness = await storageCheck();
  for (let tries = 0; tries < 100 && readiness.endsWith('ok'); tries++) {
    await sleep(200);
    readiness = await storageCheck();
  }
  check({
    ...{ name: 'readiness while S3 is away', figure: readiness, limit: degraded },
    isMet: readiness === degraded,
  });
  const rest = (await fetch(`${three.url}/rest/v1/rows?limit=1`, { headers })).status;
  const users = (await fetch(`${three.url}/auth/v1/admin/users`, { headers })).status;
  check({
    ...{ name: 'REST and auth while S3 is away', figure: `${rest}, ${users}`, limit: '200, 200' },
    isMet: rest === 200 && users === 200,
  });
}

export const outages: Line = {
  name: 'outages',
  title: 'NATS is killed and started again, and then the S3 server is killed',
  run: (check) =>
    inWorld({ nats: true }, async (world) => {
      await natsOutage(world, check);
      await s3Outage(world, check);
    }),
};
