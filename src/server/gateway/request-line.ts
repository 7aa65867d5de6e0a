/** Logs a request as one line. Used by gateways without `onRequestEnd`. */
import type { Logger } from '../../base/kernel/log.ts';
import type { RequestRecord } from '../../base/kernel/trace.ts';

export const lineInLog =
  (log: Logger) =>
  ({ requestId, method, url, status, durationMs, ip }: RequestRecord): void => {
    // Logs the path without the query, because the query may contain keys and tokens.
    const fields = { requestId, method, path: url.split('?', 1)[0], status, durationMs, ip };
    if (status >= 500) log.warn(fields, 'request');
    else log.info(fields, 'request');
  };
