/** Converts a batch's values of types that only PostgreSQL can convert to JSON, with one query per batch. */

import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Change, ConvertedValues, Table } from '../core/change.ts';
import { isServerResponse } from '../core/server-response.ts';
import { jsonValues } from './checks.ts';

const keyOf = (sqlType: string, text: string): string => JSON.stringify([sqlType, text]);

export async function convertValues(
  pool: Pool,
  log: Logger,
  changes: readonly { readonly change: Change; readonly table: Table }[],
): Promise<ConvertedValues> {
  const distinct = new Map<string, { sqlType: string; text: string }>();
  for (const { change, table } of changes) {
    for (const { name, shape, sqlType } of table.columns) {
      if (shape.kind !== 'cast') continue;
      for (const text of [change.row?.get(name), change.old?.get(name)])
        if (text != null) distinct.set(keyOf(sqlType, text), { sqlType, text });
    }
  }
  const converted = new Map<string, string>();
  if (distinct.size > 0) {
    try {
      const results = await jsonValues(pool, [...distinct.values()]);
      [...distinct.keys()].forEach((key, index) => {
        const result = results[index];
        if (result != null) converted.set(key, result);
      });
    } catch (error) {
      if (!isServerResponse(error)) throw error;
      log.warn({ error }, 'failed to convert values to JSON; sending their text');
    }
  }
  return { get: (sqlType, text) => converted.get(keyOf(sqlType, text)) };
}
