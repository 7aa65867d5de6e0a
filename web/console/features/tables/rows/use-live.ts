/**
 * Keeps the visible rows up to date, regardless of who changes the rows. When the server reports that a transaction has
 * ended, the visible rows are read again. Rows that haven't changed aren't rendered again.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type RowView, rowsKey, rowsQuery, type TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { Relation } from '../../../api/types.ts';
import { followChanges, type Live } from './follow-changes.ts';

export function useLive({ schema, table }: TableName, view: RowView, kind: Relation['kind']): Live {
  const queryClient = useQueryClient();
  const [live, setLive] = useState<Live>('off');
  useEffect(() => {
    // PostgreSQL can't detect changes to another server's rows.
    if (kind === 'foreign table') return;
    const name = { schema, table };
    const first = (): unknown => queryClient.getQueryData(rowsQuery(name, view, 0).queryKey);
    return followChanges({
      next: async (after, signal) =>
        (await fetchConsole('GET /snapshot', { query: { after }, signal })).snapshot,
      async refetch() {
        const before = first();
        await queryClient.invalidateQueries({ queryKey: rowsKey(name) });
        // The count is outdated because the rows have changed.
        if (first() !== before) void queryClient.resetQueries({ queryKey: ['count', schema, table] });
      },
      onLive: setLive,
    });
  }, [queryClient, schema, table, view, kind]);
  return live;
}
