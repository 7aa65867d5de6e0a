import { ApiError } from '../../../../lib/api.ts';
import type { Relation } from '../../../api/types.ts';

/**
 * Returns the column to which the database's error refers. For a violated key, PostgreSQL names the columns only in the
 * detail, such as `Key (shelf)=(99) is not present in table "shelves".`
 */
export function columnOfError(error: unknown, relation: Relation): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const name =
    typeof error.body.column === 'string'
      ? error.body.column
      : /^Key \((.+?)\)=/.exec(error.detail ?? '')?.[1];
  return relation.columns.find((column) => column.name === name || `"${column.name}"` === name)?.name;
}
