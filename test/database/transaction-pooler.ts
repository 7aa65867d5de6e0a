/**
 * A pooler in transaction mode for tests. It assigns sessions to clients in turn, so that consecutive transactions of a
 * connection never run in the same session if another one is free. Like PgBouncer, it rejects startup parameters that it
 * doesn't track, and never resets a session. With `tracksStatements`, it prepares statements in each session that needs
 * them, as PgBouncer does with max_prepared_statements. Otherwise, it passes the names to the sessions, like PgBouncer
 * before version 1.21.
 */
import { randomInt } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { ConnectionOptions } from '../../src/platform/database/wire/index.ts';
import { errorMessage, frame, type Message, readMessages, Session } from './pooler-session.ts';

export interface PoolerOptions {
  /** The address of PostgreSQL. */
  readonly server: Pick<ConnectionOptions, 'host' | 'port'>;
  readonly tracksStatements: boolean;
  /** The number of sessions per user and database. */
  readonly poolSize?: number;
}

export interface TransactionPooler {
  readonly port: number;
  /** The number of transactions that ran through the pooler, and of cancel requests that it passed on. */
  readonly counts: { transactions: number; cancels: number; clients: number };
  stop(): Promise<void>;
}

const sslRequest = 80_877_103;
const cancelRequest = 80_877_102;
const tracked = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]);

interface Pool {
  readonly free: Session[];
  readonly waiting: ((session: Session) => void)[];
  size: number;
}

interface Client {
  readonly socket: Socket;
  readonly key: Buffer;
  readonly settings: ReadonlyMap<string, string>;
  readonly pool: Pool;
  readonly open: () => Promise<Session>;
  /** The text and types of each statement that the client has prepared. */
  readonly statements: Map<string, Buffer>;
  session: Session | undefined;
  /** The messages since the last Sync. */
  unit: Message[];
  work: Promise<void>;
}

export async function startTransactionPooler(options: PoolerOptions): Promise<TransactionPooler> {
  const { server: target, tracksStatements, poolSize = 3 } = options;
  const pools = new Map<string, Pool>();
  const clients = new Set<Client>();
  const sockets = new Set<Socket>();
  const counts = { transactions: 0, cancels: 0, clients: 0 };

  async function acquire({ pool, open }: Client): Promise<Session> {
    const free = pool.size < poolSize ? undefined : pool.free.shift();
    if (free !== undefined) return free;
    if (pool.size >= poolSize) return await new Promise((resolve) => pool.waiting.push(resolve));
    pool.size++;
    return await open();
  }

  function release({ pool }: Client, session: Session): void {
    if (session.ended) {
      pool.size--;
      return;
    }
    const next = pool.waiting.shift();
    if (next === undefined) pool.free.push(session);
    else next(session);
  }

  async function run(client: Client, unit: readonly Message[]): Promise<void> {
    const session = client.session ?? (await acquire(client));
    client.session = session;
    await session.apply(client.settings);
    const sent = tracksStatements ? session.prepare(client.statements, unit) : unit;
    const status = await session.run(sent, (chunk) => client.socket.write(chunk));
    if (status === 'lost') {
      client.socket.end(errorMessage('FATAL', '08P01', 'server conn crashed?'));
    } else if (status !== 'I' && !client.socket.destroyed) {
      return;
    }
    counts.transactions++;
    client.session = undefined;
    if (status !== 'I' && status !== 'lost') session.end();
    release(client, session);
  }

  function receive(client: Client, message: Message): void {
    if (message.type === 'X') {
      client.socket.end();
      return;
    }
    client.unit.push(message);
    if (message.type !== 'S' && message.type !== 'Q') return;
    const unit = client.unit;
    client.unit = [];
    client.work = client.work
      .then(() => run(client, unit))
      .catch(() => {
        client.socket.destroy();
      });
  }

  async function signIn(
    socket: Socket,
    startup: ReadonlyMap<string, string>,
    password: string,
  ): Promise<Client> {
    const user = startup.get('user') ?? '';
    const database = startup.get('database') ?? user;
    const pool = pools.get(`${user} ${database}`) ?? { free: [], waiting: [], size: 0 };
    pools.set(`${user} ${database}`, pool);
    const open = () =>
      Session.open({ ...target, user, database, password, sslMode: 'disable' } as ConnectionOptions);
    // The password is checked by signing in. The session is kept if the pool isn't full.
    const first = await open();
    if (pool.size < poolSize) {
      pool.size++;
      pool.free.push(first);
    } else first.end();
    const key = Buffer.alloc(8);
    key.writeInt32BE(randomInt(1, 2 ** 31 - 1), 0);
    key.writeInt32BE(randomInt(1, 2 ** 31 - 1), 4);
    const settings = new Map([...startup].filter(([name]) => name !== 'user' && name !== 'database'));
    const client: Client = {
      ...{ socket, key, settings, pool, open, statements: new Map() },
      ...{ session: undefined, unit: [], work: Promise.resolve() },
    };
    socket.write(
      Buffer.concat([
        frame('R', Buffer.alloc(4)),
        ...[...first.parameters].map((pair) => frame('S', Buffer.from(`${pair.join('\0')}\0`))),
        frame('K', key),
        frame('Z', Buffer.from('I')),
      ]),
    );
    return client;
  }

  async function cancel(key: Buffer): Promise<void> {
    const client = [...clients].find((one) => one.key.equals(key));
    if (client?.session === undefined) return;
    counts.cancels++;
    await client.session.cancel();
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    let startup: ReadonlyMap<string, string> | undefined;
    let client: Client | undefined;
    let rest: Buffer = Buffer.alloc(0);
    const start = (body: Buffer): void => {
      const code = body.readInt32BE(0);
      if (code === sslRequest) socket.write('N');
      else if (code === cancelRequest) void cancel(body.subarray(4, 12)).finally(() => socket.end());
      else {
        const words = body.toString('utf8', 4).split('\0').slice(0, -2);
        const pairs = words.flatMap((word, at) =>
          at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : [],
        );
        const unknown = pairs.find(([name]) => !tracked.has(name.toLowerCase()));
        if (unknown !== undefined)
          socket.end(errorMessage('FATAL', '08P01', `unsupported startup parameter: ${unknown[0]}`));
        startup = new Map(pairs);
        socket.write(frame('R', Buffer.from([0, 0, 0, 3])));
      }
    };
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (startup === undefined && rest.length >= 4 && rest.length >= rest.readInt32BE(0)) {
        const size = rest.readInt32BE(0);
        const body = rest.subarray(4, size);
        rest = rest.subarray(size);
        start(body);
      }
      if (startup === undefined) return;
      const { messages, left } = readMessages(rest);
      rest = left;
      for (const message of messages) {
        if (client !== undefined) receive(client, message);
        else if (message.type === 'p') {
          const password = message.body.toString('utf8', 0, message.body.length - 1);
          signIn(socket, startup, password).then(
            (signedIn) => {
              client = signedIn;
              clients.add(client);
              counts.clients++;
            },
            (error: Error) => socket.end(errorMessage('FATAL', '28P01', error.message)),
          );
        }
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      if (client === undefined) return;
      clients.delete(client);
      // An open transaction is rolled back, because its session ends.
      const { session } = client;
      client.session = undefined;
      if (session === undefined) return;
      session.end();
      release(client, session);
    });
  }

  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    counts,
    async stop() {
      for (const socket of sockets) socket.destroy();
      for (const { free } of pools.values()) for (const session of free) session.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
