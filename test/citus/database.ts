/**
 * Creates a database on all servers of a Citus cluster. The environment variable `CITUS_URL` contains the URL of a
 * superuser on the coordinator, whose workers are active.
 */
import { randomUUID } from 'node:crypto';
import { quoteIdentifier, sql } from '../../src/base/kernel/sql.ts';
import {
  Client,
  type ConnectionOptions,
  parseConnectionString,
} from '../../src/platform/database/wire/index.ts';

/** Undefined if the tests of Citus are skipped. */
export const citusUrl: string | undefined = process.env.CITUS_URL;

export interface CitusDatabase {
  /** The URL of the database on the coordinator. */
  readonly url: string;
  readonly coordinator: ConnectionOptions;
  readonly workers: readonly ConnectionOptions[];
  drop(): Promise<void>;
}

interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

const run = async (target: ConnectionOptions, ...statements: string[]): Promise<void> => {
  const client = await Client.connect(target);
  try {
    for (const statement of statements) await client.exec(statement);
  } finally {
    await client.connection.close();
  }
};

export async function createCitusDatabase(url: string): Promise<CitusDatabase> {
  const given = parseConnectionString(url);
  const nodes = await listNodes(given);
  const database = `plinth_${randomUUID().slice(0, 8)}`;
  const name = quoteIdentifier(database);
  const at = ({ host, port }: Node, inDatabase: string): ConnectionOptions => ({
    ...given,
    host,
    port,
    database: inDatabase,
  });
  // Each server gets its own statement, so that the tests don't depend on whether Citus passes it on.
  const local = 'set citus.enable_create_database_propagation = off';
  for (const node of nodes) {
    await run(at(node, given.database), local, `create database ${name}`);
    await run(at(node, database), 'create extension citus');
  }
  const coordinator = nodes.find(({ isCoordinator }) => isCoordinator) as Node;
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
  await run(
    at(coordinator, database),
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...workers.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  );
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return {
    url: parsed.href,
    coordinator: at(coordinator, database),
    workers: workers.map((node) => at(node, database)),
    async drop() {
      for (const node of nodes)
        await run(at(node, given.database), local, `drop database ${name} with (force)`);
    },
  };
}

async function listNodes(target: ConnectionOptions): Promise<readonly Node[]> {
  const client = await Client.connect(target);
  try {
    return await client.query<Node>(sql`
      select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_catalog.pg_dist_node
      where isactive order by groupid`);
  } finally {
    await client.connection.close();
  }
}
