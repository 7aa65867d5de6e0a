/**
 * PostgreSQL's snapshots as text (`xmin:xmax:running,…`, 64-bit transaction ids). The stream tells a transaction as soon
 * as its commit is written, a moment before other sessions see its rows: whoever asks about those rows has to wait for
 * a snapshot in which it is over.
 */

/** Whether every transaction, by the 32 bits that the stream gives, is over in the snapshot. */
export function areOver(snapshot: string, transactionIds: Iterable<number>): boolean {
  const [xmin, xmax, running] = snapshot.split(':') as [string, string, string];
  const [oldest, next] = [BigInt(xmin), BigInt(xmax)];
  const inProgress = new Set(running === '' ? [] : running.split(',').map(BigInt));
  for (const id of transactionIds) {
    const full = widen(id, next);
    if (full >= next || (full >= oldest && inProgress.has(full))) return false;
  }
  return true;
}

/** The 64-bit id nearest to a known one. */
function widen(id: number, near: bigint): bigint {
  const half = 1n << 31n;
  let full = ((near >> 32n) << 32n) + BigInt(id);
  if (full - near > half) full -= 1n << 32n;
  else if (near - full > half) full += 1n << 32n;
  return full;
}
