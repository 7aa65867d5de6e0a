/**
 * Opens a session on any PostgreSQL server, for scripts that users write. The statements aren't changed, and the
 * results are text.
 */
import { Connection, parseConnectionString, runScript, type ScriptResult } from './wire/index.ts';

export interface TextSession {
  /** Runs one or more statements without parameters. @throws {PostgresError} */
  run(text: string): Promise<readonly ScriptResult[]>;
  end(): void;
}

export interface TextSessionOptions {
  readonly applicationName: string;
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

/** Opens a session with the settings of the role and the database, as psql does. @throws {ConnectionError} */
export async function openTextSession(
  url: string,
  { applicationName, onNotice }: TextSessionOptions,
): Promise<TextSession> {
  const connection = await Connection.open({
    ...parseConnectionString(url),
    applicationName,
    onNotice,
    parameters: { client_encoding: 'UTF8' },
  });
  return {
    run: (text) => runScript(connection, text),
    end: () => connection.destroy(),
  };
}
