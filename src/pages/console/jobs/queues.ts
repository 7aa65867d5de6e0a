/** Reads message queues, and changes them by calling pgmq's functions as the role `postgres`. */
import { permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import { type JobDeps, readParts } from './parts.ts';
import * as queries from './queue-queries.ts';

export const messagesPerPage = 50;
/** The maximum length of a message in the list of messages. */
const listedMessageChars = 2000;
/** The maximum length of a message that the operator opens. */
export const openedMessageChars = 262_144;

const settings = [
  ['statement_timeout', '60000'],
  ['lock_timeout', '5000'],
] as const;

const contract = () => import('./contract.ts');

export function queueRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const pool = database.pool('postgres');
  const rows = permissionForRows('pgmq');

  /** Checks that the queues extension is enabled. @throws {ConsoleError} refused */
  async function requireQueues(): Promise<void> {
    if ((await readParts(pool)).queues !== 'ready')
      throw new ConsoleError('refused', { message: "pgmq isn't enabled." });
  }

  async function queueOf({ request }: Call): Promise<queries.QueueTables> {
    const { queue } = await parseAs((await contract()).queueParams, request.params);
    await requireQueues();
    const tables = await queries.findQueue(pool, queue);
    if (tables === undefined) throw new ConsoleError('not_found', { message: "This queue doesn't exist." });
    return tables;
  }

  route('GET /jobs/queues', 'read', async () => {
    await requireQueues();
    return { queues: await queries.listQueues(pool) };
  });
  route('POST /jobs/queues', 'write', async (call) => {
    const requested = await call.body();
    await requireQueues();
    await pool.transaction(
      async (tx) => {
        if ((await queries.findQueue(tx, requested.name)) !== undefined) throw new ConsoleError('taken');
        await queries.createQueue(tx, requested);
      },
      { settings },
    );
    const { name, ...detail } = requested;
    await audit(call, 'queue.create', name, detail);
  });
  route('DELETE /jobs/queues/:queue', 'write', async (call) => {
    const { name } = await queueOf(call);
    await pool.transaction((tx) => queries.dropQueue(tx, name), { settings });
    await audit(call, 'queue.drop', name);
  });
  route('POST /jobs/queues/:queue/purge', 'write', async (call) => {
    const { name } = await queueOf(call);
    const count = await pool.transaction((tx) => queries.purgeQueue(tx, name), { settings });
    await audit(call, 'queue.purge', name, { count });
    return { count };
  });
  route('GET /jobs/queues/:queue/messages', rows, async (call) => {
    const page = await call.query();
    const tables = await queueOf(call);
    const found = await queries.listMessages(pool, tables, page, {
      limit: messagesPerPage + 1,
      maxChars: listedMessageChars,
    });
    return { messages: found.slice(0, messagesPerPage), more: found.length > messagesPerPage };
  });
  route('GET /jobs/queues/:queue/messages/:id', rows, async (call) => {
    const { id } = await parseAs((await contract()).messageParams, call.request.params);
    const { of } = await call.query();
    const found = await queries.findMessage(pool, await queueOf(call), of, id, openedMessageChars);
    if (found === undefined) throw new ConsoleError('not_found', { message: "This message doesn't exist." });
    return found;
  });
  route('POST /jobs/queues/:queue/messages', 'write', async (call) => {
    const sent = await call.body();
    const { name } = await queueOf(call);
    const id = await queries.sendMessage(pool, name, sent);
    await audit(call, 'queue.send', name, { id });
    return { id };
  });
  for (const [path, how, action] of [
    ['archive', 'archive', 'queue.archive'],
    ['remove', 'delete', 'queue.remove'],
  ] as const)
    route(`POST /jobs/queues/:queue/messages/${path}`, 'write', async (call) => {
      const { ids } = await call.body();
      const { name } = await queueOf(call);
      const done = await queries.takeMessages(pool, name, how, ids);
      await audit(call, action, name, { ids: done });
      return { ids: done };
    });
}
