/**
 * Writes structured log lines. Log lines can be filtered by the values in `fields` (`requestId`, `service`, `path`,
 * `userId` …).
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Returns a logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger;
}

export type LogFields = Record<string, unknown>;

/** A logger that discards all lines. Used in tests and by library users who don't want any output. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
