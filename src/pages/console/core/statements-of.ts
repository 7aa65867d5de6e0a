import { splitSql } from '../../../base/shared/sql/split.ts';

/** Returns the statements of a script, without the semicolons at the end. */
export const statementsOf = (script: string): string[] =>
  [...splitSql(script)]
    .map(({ start, end }) => script.slice(start, end).trim())
    .filter((statement) => statement !== '');
