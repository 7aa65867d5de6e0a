import { OutsideFolders } from '../../../base/kernel/real-path.ts';
import { ConsoleError, outsideFolders } from '../errors.ts';

/** Runs the operation. @throws {ConsoleError} refused, with the file, the statement and the message from PostgreSQL */
export async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutsideFolders) throw outsideFolders(error);
    if (!(error instanceof Error) || error.name !== 'ProjectError') throw error;
    const { advice } = error as Error & { readonly advice: readonly string[] };
    throw new ConsoleError(
      'refused',
      { message: error.message, ...(advice.length === 0 ? {} : { detail: advice.join('\n') }) },
      { cause: error },
    );
  }
}
