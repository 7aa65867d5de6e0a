/**
 * The panels next to a table, which contain a new or existing row, an import, or the row that a foreign key references.
 */
import { useQueryClient } from '@tanstack/react-query';
import { rowsKey } from '../../../api/queries.ts';
import type { Relation, Sort } from '../../../api/types.ts';
import { lazyPart } from '../../../components/lazy-part.ts';
import type { TableSearch } from './search.ts';
import type { Rows } from './use-rows.ts';

const RowPanel = lazyPart(() => import('../row/row-panel.tsx'));
const PeekPanel = lazyPart(() => import('../row/peek-panel.tsx'));
const ImportPanel = lazyPart(() => import('../import/import-panel.tsx'));

/** The foreign key cell whose referenced row is shown. */
export interface Peek {
  readonly index: number;
  readonly column: string;
}

export function TablePanels({
  relation,
  search,
  rows,
  peek,
  canInsert,
  canWrite,
  onClose,
  onClosePeek,
  onImported,
  onChanged,
}: {
  relation: Relation;
  search: TableSearch;
  rows: Rows;
  peek: Peek | undefined;
  canInsert: boolean;
  canWrite: boolean;
  onClose: () => void;
  onClosePeek: () => void;
  /** Shows all rows in an order in which imported rows come first. */
  onImported: (sort: Sort) => void;
  /** Called when rows have been added. */
  onChanged: () => void;
}) {
  const queryClient = useQueryClient();
  const { as } = search;
  const name = { schema: relation.schema, table: relation.name };
  const peekRow = peek && rows.row(peek.index);
  const foreignKey = peek && relation.foreign_keys.find(({ columns }) => columns.includes(peek.column));
  return (
    <>
      {search.insert === true && canInsert ? (
        <RowPanel
          relation={relation}
          as={as}
          isNew
          {...(search.row === undefined ? {} : { rowKey: search.row })}
          canWrite
          onClose={onClose}
          onDone={onChanged}
        />
      ) : search.row === undefined ? null : (
        <RowPanel
          relation={relation}
          as={as}
          isNew={false}
          rowKey={search.row}
          {...(search.column === undefined ? {} : { column: search.column })}
          canWrite={canWrite}
          onClose={onClose}
          onDone={() => void queryClient.invalidateQueries({ queryKey: rowsKey(name) })}
        />
      )}
      {search.import === true && canInsert ? (
        <ImportPanel relation={relation} as={as} onClose={onClose} onShow={onImported} onDone={onChanged} />
      ) : null}
      {peekRow === undefined || foreignKey === undefined ? null : (
        <PeekPanel
          relation={relation}
          foreignKey={foreignKey}
          cells={peekRow.cells}
          as={as}
          onClose={onClosePeek}
        />
      )}
    </>
  );
}
