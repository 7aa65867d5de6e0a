/** Skips statements that fail at startup, and records the failures. */
import type { Queryable } from '../database/types.ts';
import type { SkippedStatement } from './core/failures.ts';
import { insertFailure } from './queries.ts';
import type { KeepGoing } from './run-file.ts';

/** Records each failure with its file. `failures` contains the failures of this start. */
export function createKeepGoing(): KeepGoing & { readonly failures: readonly SkippedStatement[] } {
  const failures: SkippedStatement[] = [];
  return {
    failures,
    async failed({ file, line, statement, error: { code, message } }) {
      failures.push({ file, line, statement, code, message });
      return 'leave out';
    },
    async record(tx: Queryable, file: string) {
      for (const failure of failures) if (failure.file === file) await insertFailure(tx, failure);
    },
  };
}
