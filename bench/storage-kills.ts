/**
 * Kills the server two hundred times with kill -9 during uploads (REST, TUS, S3), copies, moves and removals. In half
 * of the runs, PostgreSQL is killed as well. After each kill, the benchmark verifies that all changes that the server
 * had acknowledged are present. Exits with an error at the first acknowledged change that is missing or wrong.
 *
 *     node bench/storage-kills.ts [KILLS]
 */
import { killStorage } from '../test/crash/storage-kills.ts';

const kills = Number(process.argv[2] ?? 200);
const startedAt = performance.now();
const tally = await killStorage(kills, ({ kills: done, ...rest }) => {
  if (done % 10 === 0) console.log(`${done} kills`, JSON.stringify(rest));
});
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`, JSON.stringify(tally));
