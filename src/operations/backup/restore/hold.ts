/** Prevents a running server from pruning the files that a restore is reading. */
import { holdName } from '../core/names.ts';
import type { Repository } from '../repository.ts';

/** Creates a hold. If the credentials don't permit writing to the target, the restore continues without a hold. */
export async function hold(
  repository: Pick<Repository, 'writeBytes' | 'remove'>,
  backupId: string,
  nowMs: number,
): Promise<() => Promise<void>> {
  const name = holdName(nowMs, backupId);
  try {
    await repository.writeBytes(name, Buffer.alloc(0));
  } catch {
    return async () => undefined;
  }
  return () => repository.remove(name).catch(() => undefined);
}
