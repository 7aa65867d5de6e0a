/**
 * Applies an action to many users. The page sends the users in batches, so that it can show the progress, stop, and
 * retry failures. If the action fails for one user, the other users aren't affected.
 */
import type { AuthUser, AuthUsers } from './auth.ts';
import type { BulkAction, BulkResult } from './contract.ts';

/**
 * More concurrent calls wouldn't be faster, because they would wait until a database connection of the auth service is
 * available.
 */
const concurrentUsers = 4;

export async function runBulk(
  users: AuthUsers,
  action: BulkAction,
  ids: readonly string[],
  nowMs: number,
): Promise<BulkResult> {
  const done: string[] = [];
  const undoable: string[] = [];
  const failures: { id: string; name: string; message: string }[] = [];
  const waiting = [...new Set(ids)];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      let user: AuthUser | undefined;
      try {
        user = await users.get(id);
        // If an already banned user is banned again, undoing this ban would also lift the earlier ban. Therefore, only
        // new bans can be undone.
        const wasBanned = isBanned(user, nowMs);
        await applyTo(users, action, user);
        done.push(id);
        if (action.kind === 'ban' && !wasBanned) undoable.push(id);
      } catch (error) {
        const name = user?.email || user?.phone || id;
        failures.push({ id, name, message: (error as Error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentUsers }, work));
  return { done, undoable, failures };
}

async function applyTo(users: AuthUsers, action: BulkAction, { id }: AuthUser): Promise<void> {
  switch (action.kind) {
    case 'ban':
      await users.update(id, { ban_duration: `${action.hours}h` });
      if (action.endSessions) await users.endSessions(id);
      return;
    case 'unban':
      await users.update(id, { ban_duration: 'none' });
      return;
    case 'sign-out':
      await users.endSessions(id);
      return;
    case 'delete':
      await users.remove(id);
      return;
    case 'app-metadata':
      await users.update(id, { app_metadata: action.values });
  }
}

function isBanned({ banned_until }: AuthUser, nowMs: number): boolean {
  return typeof banned_until === 'string' && Date.parse(banned_until) > nowMs;
}
