/** Structured log lines. `fields` contains the values to filter by (requestId, service, path, userId …). */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Returns a logger that adds `fields` to all of its lines. */
  child(fields: LogFields): Logger;
}

export type LogFields = Record<string, unknown>;

/** Discards everything. Used in tests and by library users who don't want any output. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
