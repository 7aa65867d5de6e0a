/** Keeps the output of functions for the Console and also writes the output to the server's log. */
import { systemClock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { FunctionLogRing, NewLogLine } from './logs.ts';

export const createLineLog =
  (logs: FunctionLogRing, log: Logger) =>
  (given: NewLogLine): void => {
    const line = logs.add(given, systemClock.now());
    if (line === undefined) return;
    const { function: slug, level, line: text, requestId } = line;
    const fields = { service: 'functions', function: slug, ...(requestId ? { requestId } : {}) };
    log[level](fields, text);
  };
