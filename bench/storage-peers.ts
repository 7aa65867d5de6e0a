/**
 * Compares the CPU time that Plinth and PocketBase use to send and store files. Plinth's CPU time includes PostgreSQL,
 * and its tokens are checked by row-level security. PocketBase's tokens are checked by API rules. Measures CPU time
 * instead of request rates, because rates vary if other programs use the machine.
 *
 *   node bench/storage-peers.ts [--rounds 3] [--seconds 2] [--connections 8,32] [--only 'public 1k,upload 100k']
 *                               [--before FOLDER]
 *
 * The servers are measured in turns, and the result is the median of all rounds. `--before` also measures the build of
 * another source folder, for example of an earlier version. PocketBase is built with Go when it is first needed.
 * If Go isn't installed, PocketBase is skipped. Exits with 1 if Plinth exceeds a limit relative to PocketBase. Linux only.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPlinth } from './build.ts';
import type { FileJob, FileResult } from './load/file-client.ts';
import { type FileServer, pocketBaseVersion, startPlinth, startPocketBase } from './load/file-servers.ts';
import { cpuOf, cpuOfTree, nextMessage } from './load/processes.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '8,32' },
    only: { type: 'string' },
    before: { type: 'string' },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const warmUpSeconds = 1;

/** The maximum ratio of Plinth's CPU time to PocketBase's. */
const maxRatioOf = (scenario: string): number => (scenario.startsWith('upload') ? 1.1 : 1);

interface Usage {
  readonly server: number;
  readonly postgres: number;
}
const sum = ({ server, postgres }: Usage): number => server + postgres;

const usageOf = ({ pid, postmasterPid }: FileServer): Usage => ({
  server: cpuOf(pid),
  postgres: postmasterPid === undefined ? 0 : cpuOfTree(postmasterPid),
});

let sent = 0;

/** Returns the CPU time per request in microseconds. */
async function measure(
  server: FileServer,
  scenario: string,
  load: Pick<FileJob, 'connections' | 'seconds'>,
): Promise<Usage> {
  const request = server.requests[scenario];
  if (request === undefined)
    throw new Error(
      `Unknown scenario ${scenario}. Known scenarios: ${Object.keys(server.requests).join(', ')}`,
    );
  const before = usageOf(server);
  const client = fork(fileURLToPath(new URL('load/file-client.ts', import.meta.url)));
  const job: FileJob = { ...load, port: server.port, request, first: sent };
  client.send(job);
  const { requests } = await nextMessage<FileResult>(client);
  sent += requests;
  const after = usageOf(server);
  return {
    server: (after.server - before.server) / requests,
    postgres: (after.postgres - before.postgres) / requests,
  };
}

buildPlinth();
const servers: FileServer[] = [];
try {
  servers.push(await startPlinth('Plinth', fileURLToPath(new URL('..', import.meta.url))));
  if (values.before !== undefined) servers.push(await startPlinth('Plinth before', values.before));
  const peer = await startPocketBase();
  if (peer === undefined) {
    report.absent('PocketBase', "Go isn't installed");
    console.log("PocketBase is skipped because Go isn't installed.");
  } else {
    report.version('PocketBase', pocketBaseVersion);
    servers.push(peer);
  }

  const [ours] = servers as [FileServer];
  for (const connections of values.connections.split(',').map(Number)) {
    console.log(
      `${connections} connections, ${rounds} rounds of ${seconds} s, the median; CPU microseconds per request`,
    );
    for (const scenario of values.only?.split(',') ?? Object.keys(ours.requests)) {
      const measured = new Map<FileServer, Usage[]>(servers.map((server) => [server, []]));
      for (const server of servers) await measure(server, scenario, { connections, seconds: warmUpSeconds });
      for (let round = 0; round < rounds; round++)
        for (const [server, usages] of measured)
          usages.push(await measure(server, scenario, { connections, seconds }));
      const own = medianOf(measured.get(ours) ?? []);
      report.add({
        name: `${connections} connections: ${scenario}`,
        unit: 'µs',
        value: sum(own),
        postgres: own.postgres,
        peers: servers
          .slice(1)
          .map((server) => ({ peer: server.name, value: sum(medianOf(measured.get(server) ?? [])) })),
        ...(peer !== undefined && {
          limit: { most: sum(medianOf(measured.get(peer) ?? [])) * maxRatioOf(scenario) },
        }),
      });
      for (const [server, usages] of measured) {
        const median = medianOf(usages);
        const ratio = sum(own) / sum(median);
        const isOver = server === peer && ratio > maxRatioOf(scenario);
        if (isOver) process.exitCode = 1;
        const comparison =
          server === ours ? '' : `  ratio ${ratio.toFixed(2)}${isOver ? ' (over the limit)' : ''}`;
        console.log(
          `${scenario.padEnd(15)} ${server.name.padEnd(14)} server ${median.server.toFixed(0).padStart(5)}  ` +
            `postgres ${median.postgres.toFixed(0).padStart(5)}  sum ${sum(median).toFixed(0).padStart(5)}${comparison}`,
        );
      }
    }
  }
} finally {
  for (const server of servers) await server.stop();
}

function medianOf(usages: readonly Usage[]): Usage {
  return usages.toSorted((a, b) => sum(a) - sum(b))[Math.floor(usages.length / 2)] as Usage;
}
