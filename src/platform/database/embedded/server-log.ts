/** Chooses the level at which the lines of PostgreSQL's log appear in Plinth's log. */

export type ServerLogLevel = 'warn' | 'debug';

/**
 * The FATAL messages that don't report a failure. A client that connects during startup or shutdown receives "the
 * database system is …". Plinth reads the schema of a database with event triggers disabled if the login is allowed to
 * disable them, and PostgreSQL's answer shows whether it is.
 */
const expected = /the database system is|permission denied to set parameter "event_triggers"/;

export const serverLogLevel = (line: string): ServerLogLevel =>
  /^(FATAL|PANIC)/.test(line) && !expected.test(line) ? 'warn' : 'debug';
