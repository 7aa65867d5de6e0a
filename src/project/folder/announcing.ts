/** Waits until the servers of a database have loaded the schema that a command has changed. */

/** Announces a changed schema. Returns the number of servers that haven't loaded it yet. */
export interface Announcer {
  announceSchema(): Promise<number>;
}

/**
 * Runs `work`, which changes the schema, and then waits until all servers have loaded the changed schema. If `work`
 * fails, the servers load the part of the changes that remains applied.
 */
export async function announcing<T>(
  database: Announcer,
  onProgress: (message: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    const note = await announce(database);
    if (note !== undefined) onProgress(note);
  }
}

async function announce(database: Announcer): Promise<string | undefined> {
  try {
    const late = await database.announceSchema();
    if (late === 0) return undefined;
    return `${late === 1 ? "1 server hasn't" : `${late} servers haven't`} loaded the new schema yet.`;
  } catch (error) {
    return `The servers of this database couldn't be notified of the new schema: ${(error as Error).message}`;
  }
}
