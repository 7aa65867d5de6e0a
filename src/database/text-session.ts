/** A session of any PostgreSQL for scripts as people write them: statements in their own words, results as text. */
import { Connection, parseConnectionString, runScript, type ScriptResult } from './wire/index.ts';

export interface TextSession {
  /** One or many statements without parameters. Throws {@link PostgresError}. */
  run(text: string): Promise<readonly ScriptResult[]>;
  end(): void;
}

export interface TextSessionOptions {
  readonly applicationName: string;
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

/** With the settings of the role and the database, as psql has them. Throws {@link ConnectionError}. */
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
