/**
 * Opens a session on any PostgreSQL server, for scripts that users write. The statements are sent unchanged, and all
 * result values are returned as text.
 */
import {
  Connection,
  type ConnectionOptions,
  parseConnectionString,
  runScript,
  type ScriptResult,
} from './wire/index.ts';

export interface TextSession {
  /** Runs one or more statements without parameters. @throws {PostgresError} */
  run(text: string): Promise<readonly ScriptResult[]>;
  /** Sends a cancel request for the running statements. */
  cancel(): Promise<void>;
  end(): void;
}

export interface TextSessionOptions {
  readonly applicationName: string;
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

export type { ScriptResult };

/** Opens a session with the role's and the database's default settings, like psql. @throws {ConnectionError} */
export async function openTextSession(
  target: string | ConnectionOptions,
  { applicationName, onNotice }: TextSessionOptions,
): Promise<TextSession> {
  const connection = await Connection.open({
    ...(typeof target === 'string' ? parseConnectionString(target) : target),
    applicationName,
    onNotice,
    parameters: {
      ...(typeof target === 'string' ? {} : target.parameters),
      client_encoding: 'UTF8',
    },
  });
  return {
    run: (text) => runScript(connection, text),
    cancel: () => connection.cancel(),
    end: () => connection.destroy(),
  };
}
