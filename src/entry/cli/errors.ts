/** Describes the errors with which commands fail. The description of an unexpected error includes the stack trace. */
import { isPostgresError } from '../../base/shared/errors.ts';

export interface Described {
  readonly message: string;
  readonly advice: readonly string[];
}

/** An error from the running Plinth process. The command that called the process prints the error. */
export class RemoteError extends Error {
  override name = 'RemoteError';
  readonly advice: readonly string[];
  constructor(message: string, advice: readonly string[]) {
    super(message);
    this.advice = advice;
  }
}

/** An error of a command, with advice on how to fix the problem. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly advice: readonly string[];
  constructor(message: string, ...advice: readonly string[]) {
    super(message);
    this.advice = advice;
  }
}

export function notRunning(): CommandError {
  return new CommandError("Plinth isn't running in this folder.", 'Run "plinth start" to start it.');
}

/**
 * The SQLSTATEs for a failed sign-in, a missing database, a server without free connections, and a server that is
 * starting or stopping.
 */
const rejectsSession = /^(28|3D|53300|57P)/;

const spoken = new Set([
  'CommandError',
  'RemoteError',
  'ConfigError',
  'PackageError',
  'ProjectError',
  'DatabaseError',
  'BackupError',
  'DumpError',
  'DiffError',
  'UpgradeError',
  'MigrateError',
  'ConnectionError',
  'ConnectionStringError',
  'DeployError',
  'GroupError',
  'GroupJoinError',
  'ManagementError',
  'OperatorError',
  'TokenError',
  'UsageError',
  'ServerConfigError',
]);

export function describeError(error: unknown): Described {
  if (!(error instanceof Error)) return { message: String(error), advice: [] };
  const { advice, hint, code, port, syscall } = error as Error & {
    advice?: readonly string[];
    hint?: string;
    code?: string;
    port?: number;
    syscall?: string;
  };
  if (code === 'EADDRINUSE') {
    return {
      message: `Port ${port ?? ''} is in use by another program.`.replace('  ', ' '),
      advice: ['Stop that program, or use other ports. With --port 0, all services use free ports.'],
    };
  }
  if (isPostgresError(error) && rejectsSession.test(error.code))
    return { message: `The database rejected the connection: ${error.message}.`, advice: [] };
  if (spoken.has(error.name))
    return { message: error.message, advice: advice ?? (hint === undefined ? [] : [hint]) };
  // The operating system's message already contains the path, as in `EACCES: permission denied, mkdir '/x'`.
  if (syscall !== undefined) return { message: error.message, advice: [] };
  return { message: error.stack ?? error.message, advice: [] };
}
