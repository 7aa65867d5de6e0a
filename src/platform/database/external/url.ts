/** Reads the URL of an external PostgreSQL server, in all forms that libpq accepts. */
import { DatabaseError } from '../errors.ts';
import {
  type ConnectionOptions,
  ConnectionStringError,
  type ConnectionTarget,
  connectionOf,
  type Environment,
  isConnectionUri,
  parseConnectionString,
  printConnectionUri,
  readPassword,
} from '../wire/index.ts';

export interface ExternalUrl {
  readonly base: ConnectionOptions;
  /** A URI that doesn't depend on environment variables or on files in the home folder. */
  readonly url: string;
  /** Returns the URI for another account. */
  forAccount(user: string, password: string): string;
}

/**
 * Reads the URL, and the password file if the URL doesn't contain a password, because Plinth derives its roles'
 * passwords from the account's password.
 *
 * @throws {DatabaseError} bad_url
 */
export async function readExternalUrl(text: string, environment: Environment): Promise<ExternalUrl> {
  try {
    const given = await withPassword(connectionOf(text, environment));
    return {
      base: { ...given, applicationName: given.applicationName ?? 'plinth' },
      url: isComplete(text, given) ? text : printConnectionUri(given),
      forAccount: (user, password) => printConnectionUri({ ...given, user, password }),
    };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ConnectionStringError)
      throw new DatabaseError('bad_url', { reason: message }, error);
    throw error;
  }
}

async function withPassword(given: ConnectionTarget): Promise<ConnectionTarget> {
  const { password, passwordFile, ...target } = given;
  if (password !== undefined || passwordFile === undefined) return { ...target, password };
  const found = await readPassword(passwordFile, target).catch((cause: Error) => {
    throw new ConnectionStringError(cause.message, { cause });
  });
  return { ...target, password: found };
}

/**
 * Whether the text is a complete URI for the target, without any environment variables. A complete URI can be shown as
 * the user wrote it.
 */
function isComplete(text: string, target: ConnectionTarget): boolean {
  return (
    isConnectionUri(text) && printConnectionUri(parseConnectionString(text)) === printConnectionUri(target)
  );
}

/** The addresses of an external server. */
export interface ExternalUrls {
  /** The address of PostgreSQL itself. */
  readonly direct: string;
  /** The address of a pooler in transaction mode for requests. */
  readonly pooled?: string | undefined;
}

/** The database's URLs as users specify them. */
export interface DatabaseUrls {
  readonly databaseUrl: string;
  readonly databaseDirectUrl?: string | undefined;
}

export const externalUrls = ({ databaseUrl, databaseDirectUrl }: DatabaseUrls): ExternalUrls =>
  databaseDirectUrl === undefined
    ? { direct: databaseUrl }
    : { direct: databaseDirectUrl, pooled: databaseUrl };

/** Returns the connection options for the pooler, if its address is specified. @throws {DatabaseError} bad_url */
export async function readPooledUrl(
  { pooled }: ExternalUrls,
  environment: Environment,
): Promise<ConnectionOptions | undefined> {
  return pooled === undefined ? undefined : (await readExternalUrl(pooled, environment)).base;
}

/** The address of a server and how to secure the connection, without an account. */
export type ServerAddress = Omit<
  ConnectionOptions,
  'user' | 'password' | 'database' | 'options' | 'applicationName'
>;

/**
 * Reads the addresses of read replicas, which are separated by spaces. Replicas have the roles and the databases of the
 * primary, so accounts and databases in the URLs aren't used.
 *
 * @throws {DatabaseError} bad_url
 */
export async function readReplicaUrls(text: string, environment: Environment): Promise<ServerAddress[]> {
  const urls = text.split(/\s+/).filter((url) => url !== '');
  return Promise.all(
    urls.map(async (one) => {
      const { user, password, database, options, applicationName, otherHosts, sessionKind, ...address } = (
        await readExternalUrl(one, environment)
      ).base;
      if (otherHosts !== undefined && otherHosts.length > 0)
        throw new DatabaseError('bad_url', {
          reason: 'the URL of a read replica must contain a single host',
        });
      return { ...address, otherHosts: undefined, sessionKind: undefined };
    }),
  );
}
