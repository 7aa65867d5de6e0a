/** Structured log lines. `fields` hold what a reader filters by (requestId, service, path, userId …). */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger whose lines all carry `fields`. */
  child(fields: LogFields): Logger;
}

export type LogFields = Record<string, unknown>;

/** Says nothing; for tests and for library users who asked for silence. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
