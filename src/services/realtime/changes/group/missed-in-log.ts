/** Reads the changes that subscribers of a process that has ended have missed from the group's log. */
import { createLogOpener } from '../../core/bus-seal.ts';
import { type BatchEntry, isRelation, readBatch } from '../../core/change-batch.ts';
import { isAfter } from '../../core/progress.ts';
import type { Resumed } from '../../handover/queries.ts';
import { type IsWanted, type Missed, MissedChanges } from '../missed.ts';
import type { ChangeLog } from './change-log.ts';

interface LogSource {
  readonly changeLog: ChangeLog;
  readonly secret: string;
  readonly generation: string | undefined;
}

/** Returns the changes up to now, or undefined if the log doesn't contain all of them anymore. */
export async function readMissedInLog(
  { changeLog, secret, generation }: LogSource,
  { place }: Resumed,
  isWanted: IsWanted,
): Promise<Missed | undefined> {
  const from = place.sequence ?? 0;
  const { first, last } = await changeLog.range();
  if (from < first) return undefined;
  const missed = new MissedChanges(place, isWanted);
  if (last < from) return { changes: [], fence: place, gap: undefined };
  const open = createLogOpener(secret);
  const versions = new Map<number, number>();
  const reading = await changeLog.read(from, ({ sequence, data }) => {
    const bytes = open(data);
    const batch = bytes && readBatch(bytes);
    if (batch?.generation === generation)
      for (const entry of batch?.entries ?? []) addNew(missed, versions, entry);
    if (sequence >= last) reading.stop();
  });
  await reading.ended;
  // After a takeover, the log can end with changes that were published before.
  const fence = isAfter(missed.place, place) ? missed.place : place;
  return { changes: missed.changes, fence, gap: undefined };
}

/** Adds a message, unless it is a description of a relation that was already added. */
function addNew(missed: MissedChanges, versions: Map<number, number>, entry: BatchEntry): void {
  const { message, number } = entry;
  if (!isRelation(entry)) {
    missed.add(message, number);
    return;
  }
  const oid = message.readUInt32BE(1);
  if (versions.get(oid) !== number) missed.add(message);
  versions.set(oid, number);
}
