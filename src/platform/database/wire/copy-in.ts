/**
 * Runs COPY FROM STDIN in the simple protocol. Each chunk of data is sent as soon as it has been read, so memory use is
 * constant.
 */
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Backend } from './protocol.ts';

class CopyIn implements Exchange {
  readonly extended = false;
  readonly #accepted = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<void>();
  #error: PostgresError | ConnectionError | undefined;

  /**
   * Resolves to true when the server is ready to receive data, and to false if the statement failed or doesn't read
   * data.
   */
  readonly accepted = this.#accepted.promise;
  readonly ended = this.#ended.promise;

  get failure(): PostgresError | ConnectionError | undefined {
    return this.#error;
  }

  message(type: number): void {
    if (type === Backend.CopyInResponse) this.#accepted.resolve(true);
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
    this.#accepted.resolve(false);
  }

  ready(): void {
    this.#accepted.resolve(false);
    this.#ended.resolve();
  }

  lost(error: ConnectionError): void {
    this.#error ??= error;
    this.ready();
  }
}

/**
 * Sends `chunks` as the data of a COPY FROM STDIN statement. All chunks are read from `chunks`, even if the server
 * rejects the data. If reading from `chunks` throws, the statement fails.
 * @throws {PostgresError}
 */
export async function copyIn(
  connection: Connection,
  statement: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const copy = new CopyIn();
  connection.writer.query(statement);
  connection.submit(copy);
  const isAccepted = await copy.accepted;
  try {
    for await (const chunk of chunks) {
      // The server ignores data after an error.
      if (!isAccepted || copy.failure !== undefined) continue;
      connection.writer.copyData(chunk);
      connection.flush();
      await connection.drained();
    }
  } catch (error) {
    if (isAccepted) connection.writer.copyFail('The data could not be read.');
    connection.flush();
    await copy.ended;
    throw error;
  }
  if (isAccepted && copy.failure === undefined) {
    connection.writer.copyDone();
    connection.flush();
  }
  await copy.ended;
  if (copy.failure !== undefined) throw copy.failure;
}
