import { queryOptions } from '@tanstack/react-query';
import type { DiagramKey, DiagramTable } from '../../../../../src/pages/console/schema/contract.ts';
import { fetchConsole } from '../../../api/session.ts';

export type {
  DiagramColumn,
  DiagramKey,
  DiagramTable,
} from '../../../../../src/pages/console/schema/contract.ts';

export const diagramQuery = queryOptions({
  queryKey: ['diagram'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /schema/diagram', { signal })).tables,
});

/** A foreign key together with the table that has it. */
export interface Relationship {
  readonly from: DiagramTable;
  readonly to: DiagramTable;
  readonly key: DiagramKey;
}
