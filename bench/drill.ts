/**
 * Starts three nodes with PostgreSQL, NATS, an S3 server, PgBouncer and HAProxy on this machine, ends parts of the
 * group while it is used, and prints one line per check with its figure. The nodes are `plinth serve` processes that
 * share only the URL of the database and a secret. HAProxy uses the settings in deploy/cluster.
 *
 *   npm run drill:cluster
 *   npm run drill:cluster -- --only restart-requests,failover
 *
 * Exits with 1 if a check is missed. A line starts its own servers, so lines don't affect each other. PostgreSQL and the
 * S3 server come from npm. HAProxy, NATS and PgBouncer must be installed. Runs only on Linux, because CPU time is read
 * from /proc. docs/scale.md ("What was tried") shows the results.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildPlinth } from './build.ts';
import { agreement } from './drill/lines/agreement.ts';
import { failover } from './drill/lines/failover.ts';
import { fanOut } from './drill/lines/fan-out.ts';
import { outages } from './drill/lines/outages.ts';
import { pooler } from './drill/lines/pooler.ts';
import { projects } from './drill/lines/projects.ts';
import { reader } from './drill/lines/reader.ts';
import { restartRequests, restartSubscribers } from './drill/lines/rolling-restart.ts';
import { start } from './drill/lines/start.ts';
import { upload } from './drill/lines/upload.ts';
import { installHint, missingPrograms } from './drill/programs.ts';
import { runLines } from './drill/report.ts';

const lines = [
  agreement,
  start,
  restartRequests,
  restartSubscribers,
  upload,
  failover,
  reader,
  outages,
  projects,
  pooler,
  fanOut,
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const only = values.only?.split(',');
const unknown = only?.filter((name) => !lines.some((line) => line.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. The lines are ${lines.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const missing = missingPrograms();
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. ${installHint(missing)}`);
  process.exit(2);
}
buildPlinth();
console.log(`${cpus().length} CPU cores, load average ${loadavg()[0]?.toFixed(1)}`);
const missed = await runLines(lines.filter(({ name }) => only?.includes(name) ?? true));
console.log(missed === 0 ? '\nAll checks are met.' : `\n${missed} checks are missed.`);
process.exit(missed === 0 ? 0 : 1);
