import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { relationQuery } from '../../../api/queries.ts';
import type { Column } from '../../../api/types.ts';
import type { Vocabulary } from './api.ts';
import { type ColumnDraft, splitTarget, typeOf } from './drafts.ts';
import { canReference, referencedColumn } from './reference-types.ts';
import { t } from './text.ts';

export interface Reference {
  /** The columns of the referenced table. */
  readonly columns: readonly Column[];
  /** The reason why the column's type can't reference the other column. */
  readonly mismatch: string | undefined;
  /** Sets the foreign key, and gives the column the type of the referenced column. */
  readonly setTarget: (target: string, targetColumn?: string) => void;
}

/** The foreign key of a column in a form. `onChange` must keep the changes of earlier calls. */
export function useReference(
  draft: ColumnDraft,
  vocabulary: Vocabulary,
  onChange: (part: Partial<ColumnDraft>) => void,
): Reference {
  const queryClient = useQueryClient();
  const latest = useRef('');
  const target = splitTarget(draft.target);
  const { data: relation } = useQuery({
    ...relationQuery(target ?? { schema: '', table: '' }),
    enabled: target !== undefined,
  });
  const column =
    target === undefined || relation === undefined
      ? undefined
      : referencedColumn(relation, draft.targetColumn);

  async function setTarget(next: string, targetColumn = ''): Promise<void> {
    const chosen = `${next} ${targetColumn}`;
    latest.current = chosen;
    onChange({ target: next, targetColumn });
    const name = splitTarget(next);
    if (name === undefined) return;
    const query = relationQuery(name);
    await queryClient.prefetchQuery(query);
    const found = queryClient.getQueryData(query.queryKey);
    const type = found === undefined ? undefined : referencedColumn(found, targetColumn)?.type;
    // The operator may have selected another table before the response arrived.
    if (type === undefined || typeOf(type, vocabulary) === undefined || latest.current !== chosen) return;
    onChange({ type });
  }

  return {
    columns: relation?.columns ?? [],
    mismatch:
      column === undefined || canReference(draft.type, column.type, vocabulary)
        ? undefined
        : t('column.type-mismatch', {
            target: `${draft.target.replace(/^public\./, '')}.${column.name}`,
            type: column.type,
          }),
    setTarget: (next, targetColumn) => void setTarget(next, targetColumn),
  };
}
