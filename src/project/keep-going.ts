/** A start that skips failing statements and records them. */
import type { Queryable } from '../database/types.ts';
import type { LeftOut } from './core/failures.ts';
import { insertFailure } from './queries.ts';
import type { KeepGoing } from './run-file.ts';

/** Each failure is recorded with its file. `failures` contains those of this start. */
export function createKeepGoing(): KeepGoing & { readonly failures: readonly LeftOut[] } {
  const failures: LeftOut[] = [];
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
