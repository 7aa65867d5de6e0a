/**
 * Measures the cost of changes that many sockets receive, of broadcasts, and of idle sockets. Each measurement prints
 * its result as a fraction of its limit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Report } from '../report.ts';
import { cpuNow, joinedSocket, memoryOf, type Server } from './server.ts';

const bar = { deliveriesPerSecond: 25_000, broadcastMicros: 12, idleBytes: 30 * 1024 };
const of = (label: string, share: number, text: string): void =>
  console.log(`of the limit: ${label} ${share.toFixed(2)} (${text})`);

export interface FanOut {
  readonly count: number;
  readonly seconds: number;
  readonly report: Report;
}

/** The number of sockets that are opened concurrently. */
const wave = 100;
async function open(count: number, one: (index: number) => Promise<{ terminate(): void }>) {
  const sockets: { terminate(): void }[] = [];
  while (sockets.length < count) {
    const from = sockets.length;
    const indexes = Array.from({ length: Math.min(wave, count - from) }, (_, n) => from + n);
    sockets.push(...(await Promise.all(indexes.map(one))));
  }
  return sockets;
}

/** Waits until all expected frames have arrived, or until no frame has arrived for a second. */
async function settled(count: () => number, wanted: number): Promise<void> {
  let [before, since] = [-1, performance.now()];
  while (count() < wanted && performance.now() - since < 1000) {
    if (count() !== before) [before, since] = [count(), performance.now()];
    await sleep(5);
  }
}

/**
 * Measures changes that every socket receives. The rate of changes is chosen so that the deliveries per second reach
 * the target.
 */
export async function recipients(
  server: Server,
  client: pg.Client,
  { count, seconds, report }: FanOut,
): Promise<void> {
  await client.query(`
    create table public.bench_all (id bigint primary key);
    alter publication supabase_realtime add table public.bench_all`);
  let got = 0;
  let live = 0;
  const changes = [{ event: 'INSERT', schema: 'public', table: 'bench_all' }];
  const sockets = await open(count, (index) =>
    joinedSocket(server, `all-${index % 10}`, { config: { postgres_changes: changes } }, (data) => {
      if (data.includes('"postgres_changes",{"ids"')) got++;
      else if (data.includes('Subscribed to PostgreSQL')) live++;
    }),
  );
  while (live < count) await sleep(10);
  const rate = Math.ceil(bar.deliveriesPerSecond / count);
  const total = rate * seconds;
  const before = await cpuNow(server, client);
  const startedAt = performance.now();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * rate) + 1);
    for (; sent < due; sent++) await client.query('insert into public.bench_all values ($1)', [sent]);
    await sleep(1);
  }
  await settled(() => got, total * count);
  const tookSeconds = (performance.now() - startedAt) / 1000;
  const after = await cpuNow(server, client);
  const perSecond = got / tookSeconds;
  console.log(
    `${count} recipients per change: ${perSecond.toFixed(0)} deliveries/s, lost ${total * count - got}, ` +
      `${(((after.server - before.server) * 1e6) / got).toFixed(1)} us of server CPU per delivery`,
  );
  report.add({
    name: `${count} recipients per change: deliveries`,
    unit: '/s',
    value: perSecond,
    limit: { least: bar.deliveriesPerSecond },
  });
  of('deliveries', perSecond / bar.deliveriesPerSecond, `${bar.deliveriesPerSecond}/s`);
  for (const socket of sockets) socket.terminate();
}

/**
 * Opens channels with 50 members each. One member of each channel sends messages to the others. Measures the server's
 * CPU time per delivery.
 */
export async function broadcast(
  server: Server,
  client: pg.Client,
  { count, seconds, report }: FanOut,
): Promise<void> {
  const members = 50;
  let got = 0;
  const sockets = [];
  for (let index = 0; index < count; index++) {
    sockets.push(
      await joinedSocket(server, `room-${Math.floor(index / members)}`, { config: {} }, (_data, binary) => {
        if (binary) got++;
      }),
    );
  }
  const rooms = Math.ceil(count / members);
  const each = Math.ceil(bar.deliveriesPerSecond / count);
  const before = await cpuNow(server, client);
  const startedAt = performance.now();
  let sent = 0;
  for (let turn = 0; turn < each * seconds; ) {
    const due = Math.min(each * seconds, Math.floor(((performance.now() - startedAt) / 1000) * each) + 1);
    for (; turn < due; turn++) {
      for (let room = 0; room < rooms; room++) {
        sockets[room * members]?.send(userBroadcast(`realtime:room-${room}`));
        sent += Math.min(members, count - room * members) - 1;
      }
    }
    await sleep(1);
  }
  await settled(() => got, sent);
  const after = await cpuNow(server, client);
  const micros = ((after.server - before.server) * 1e6) / got;
  console.log(
    `broadcasts to ${members} members: ${(got / ((performance.now() - startedAt) / 1000)).toFixed(0)} deliveries/s, lost ${sent - got}, ${micros.toFixed(1)} us of server CPU per delivery`,
  );
  report.add({
    name: `Broadcast to ${members} members: CPU time of the server per delivery`,
    unit: 'µs',
    value: micros,
    limit: { most: bar.broadcastMicros },
  });
  of('CPU of a broadcast', micros / bar.broadcastMicros, `${bar.broadcastMicros} us`);
  for (const socket of sockets) socket.terminate();
}

/** Builds a broadcast frame (kind 3) with 64 bytes of JSON. */
function userBroadcast(topic: string): Buffer {
  const parts = ['1', '2', topic, 'message'].map((part) => Buffer.from(part));
  const payload = Buffer.from(JSON.stringify({ pad: 'x'.repeat(54) }));
  return Buffer.concat([Buffer.from([3, ...parts.map(({ length }) => length), 0, 1]), ...parts, payload]);
}

/** Opens sockets that join a channel and remain idle. Measures the server's memory per socket. */
export async function idle(server: Server, count: number, report: Report): Promise<void> {
  await sleep(2000);
  const before = memoryOf(server);
  const sockets = await open(count, (index) =>
    joinedSocket(server, `idle-${index}`, { config: {} }, () => {}),
  );
  await sleep(5000);
  const bytes = (memoryOf(server) - before) / count;
  console.log(`${count} idle sockets with one channel each: ${(bytes / 1024).toFixed(1)} KiB per socket`);
  report.add({
    name: `${count} idle sockets: memory per socket`,
    unit: 'KiB',
    value: bytes / 1024,
    limit: { most: bar.idleBytes / 1024 },
  });
  of('memory of an idle socket', bytes / bar.idleBytes, `${bar.idleBytes / 1024} KiB`);
  for (const socket of sockets) socket.terminate();
}
