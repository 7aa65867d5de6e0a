/** The panels that delete or edit the selected rows. */
import type { Relation, RowKey } from '../../../api/types.ts';
import { lazyPart } from '../../../components/lazy-part.ts';
import type { RowSelection } from '../rows/use-row-selection.ts';
import type { Rows } from '../rows/use-rows.ts';
import type { Edits } from './use-edits.ts';

const DeleteRows = lazyPart(() => import('./delete-rows.tsx'));
const EditRows = lazyPart(() => import('./edit-rows.tsx'));

/** The change, and the rows to which the change applies. Without keys, the change applies to the selected rows. */
export type BulkKind =
  | { readonly kind: 'delete'; readonly keys?: readonly RowKey[] }
  | { readonly kind: 'edit'; readonly keys?: readonly RowKey[] };

export function BulkChange({
  change: bulk,
  relation,
  as,
  rows,
  edits,
  selection,
  activeColumn,
  onClose,
  onSave,
  onChanged,
  onJournaled,
}: {
  change: BulkKind;
  relation: Relation;
  as: string | undefined;
  rows: Rows;
  edits: Edits;
  selection: RowSelection;
  activeColumn: string | undefined;
  onClose: () => void;
  /** Called before the edits of loaded rows are saved. */
  onSave: () => void;
  onChanged: () => void;
  /** Receives the entry of the undo journal after a change that the page itself can't undo. */
  onJournaled: (entry: number | undefined) => void;
}) {
  const { scope, selected, select } = selection;
  return bulk.kind === 'delete' ? (
    <DeleteRows
      name={{ schema: relation.schema, table: relation.name }}
      as={as}
      scope={bulk.keys === undefined ? scope : { keys: bulk.keys }}
      count={rows.count}
      onClose={onClose}
      onDone={(deleted, entry) => {
        select(new Map());
        if (deleted !== undefined) edits.deleted(deleted);
        onSave();
        onClose();
        onChanged();
        if (deleted === undefined) onJournaled(entry);
      }}
    />
  ) : (
    <EditRows
      relation={relation}
      as={as}
      scope={bulk.keys === undefined ? scope : { keys: bulk.keys }}
      rows={rows}
      column={activeColumn}
      onClose={onClose}
      onEdits={(column, change) => {
        onClose();
        onSave();
        const keys = bulk.keys ?? [...selected.values()];
        void edits
          .save(keys.map((key) => ({ key, column, index: -1, change, seen: undefined })))
          .then(onChanged);
      }}
      onDone={(entry) => {
        onClose();
        onChanged();
        onJournaled(entry);
      }}
    />
  );
}
