/** Two projects with their own accounts and databases use one PostgreSQL server. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ExternalServer } from '../../../test/database/external-server.ts';
import { startS3 } from '../../backup/s3-process.ts';
import { createNode, type Node } from '../node.ts';
import type { Check, Line } from '../report.ts';
import { inFolder, secret, settingsOf, startDatabase } from '../world.ts';

const waitMs = 60_000;

/** The checks of readiness that concern the shared server. Emails aren't configured, so the check of mail is degraded. */
const services = ['auth', 'rest', 'realtime', 'storage'];

/** Returns the services that don't work, or `green`. */
async function stateOf(node: Node): Promise<string> {
  const ready = await fetch(`${node.url}/health/ready`);
  const { checks } = (await ready.json()) as { checks: Record<string, { status: string; message?: string }> };
  const faults = services.flatMap((name) =>
    checks[name]?.status === 'ok' ? [] : [`${name}: ${checks[name]?.message ?? checks[name]?.status}`],
  );
  if (ready.status !== 200) faults.push(`readiness: ${ready.status} ${JSON.stringify(checks)}`);
  const { PUBLISHABLE_KEY, SECRET_KEY } = await node.status();
  const rest = await fetch(`${node.url}/rest/v1/`, { headers: { apikey: SECRET_KEY } });
  const auth = await fetch(`${node.url}/auth/v1/settings`, { headers: { apikey: PUBLISHABLE_KEY } });
  if (rest.status !== 200 || auth.status !== 200) faults.push(`REST ${rest.status}, auth ${auth.status}`);
  return faults.length === 0 ? green : faults.join(', ');
}

const green = 'green';

async function query(
  server: ExternalServer,
  database: string,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.url('admin', database));
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

/** Everything that a start could change: the database's own objects, and the server's roles with their passwords. */
async function snapshot(server: ExternalServer): Promise<string> {
  const schemas = await query(server, 'second', 'select nspname, nspacl from pg_namespace order by 1');
  const roles = await query(server, 'second', 'select * from pg_authid order by rolname');
  return JSON.stringify([schemas, roles]);
}

async function tryTwo(attributes: string, name: string): Promise<Check> {
  return await inFolder(async (folder, onStop) => {
    const { primary } = await startDatabase(folder, {}, onStop);
    const s3 = await startS3();
    onStop(() => s3.stop());
    const nodes = [];
    for (const project of ['first', 'second']) {
      await query(
        primary,
        'postgres',
        `create role ${project} login ${attributes} password '${project}-secret'`,
      );
      await query(primary, 'postgres', `create database ${project} owner ${project}`);
      const node = await createNode({
        ...{ folder: join(folder, `project-${project}`), secret: `${secret} ${project}` },
        ...{ databaseUrl: primary.url(project, project, `${project}-secret`), settings: settingsOf(s3) },
      });
      onStop(() => node.kill());
      nodes.push(node);
    }
    const [first, second] = nodes as [Node, Node];
    await first.start();
    const before = await snapshot(primary);
    const refusal = await second.start().then(
      () => undefined,
      (error: Error) => error.message,
    );
    const isUnchanged = (await snapshot(primary)) === before;
    await sleep(waitMs);
    const states = await Promise.all(nodes.filter((node) => node.isRunning()).map(stateOf));
    const isRefused = refusal !== undefined && isUnchanged;
    const outcome =
      refusal === undefined
        ? 'both started'
        : `the second was refused, ${isUnchanged ? 'nothing' : 'SOMETHING'} changed`;
    const reason =
      refusal
        ?.trim()
        .split('\n')
        .findLast((line) => line.length > 30) ?? '';
    return {
      name,
      figure: `${outcome}${reason && ` (${reason})`}; after ${waitMs / 1000} s: ${states.join('; ')}`,
      limit: 'both work, or the second is refused before any change',
      isMet: states.every((state) => state === green) && (states.length === 2 || isRefused),
    };
  });
}

export const projects: Line = {
  name: 'projects',
  title: 'Two projects with their own accounts use one PostgreSQL server',
  async run(check) {
    check(await tryTwo('superuser', 'two superusers'));
    check(await tryTwo('createrole bypassrls', 'two accounts without superuser'));
  },
};
