/**
 * Two hundred kills -9 of the server, half of them of PostgreSQL too, during uploads (REST, TUS, S3), copies, moves and
 * removals; after each everything acknowledged is compared. Ends with an error at the first that is not as it should be.
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
