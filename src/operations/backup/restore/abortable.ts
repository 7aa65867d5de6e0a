/** Wraps a repository so that the reads from it are aborted if the user interrupts the command. */
import type { Repository } from '../repository.ts';

export function abortable(repository: Repository, signal: AbortSignal | undefined): Repository {
  if (signal === undefined) return repository;
  async function* until(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      yield chunk;
    }
  }
  return {
    ...repository,
    async read(name) {
      signal.throwIfAborted();
      const bytes = await repository.read(name);
      return bytes && until(bytes);
    },
    async readBytes(name) {
      signal.throwIfAborted();
      return await repository.readBytes(name);
    },
  };
}
