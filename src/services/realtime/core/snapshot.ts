/**
 * PostgreSQL snapshots as text (`xmin:xmax:running,…`, with 64-bit transaction IDs). The stream delivers a transaction
 * as soon as its commit is written, slightly before other sessions see its rows. Queries for these rows must wait for a
 * snapshot that shows the transaction as ended.
 */

/**
 * Whether all of these transactions have ended in the snapshot. The IDs are the lower 32 bits of the transaction IDs,
 * because the stream doesn't contain the upper bits.
 */
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

/** Returns the 64-bit ID that is nearest to a known ID and has the given lower bits. */
function widen(id: number, near: bigint): bigint {
  const half = 1n << 31n;
  let full = ((near >> 32n) << 32n) + BigInt(id);
  if (full - near > half) full -= 1n << 32n;
  else if (near - full > half) full += 1n << 32n;
  return full;
}
