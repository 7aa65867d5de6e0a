/** The context menu of a cell and its row. */
import { useNavigate } from '@tanstack/react-router';
import type { Filter, RowKey } from '../../../../api/types.ts';
import { isEditable } from '../../cells.ts';
import { t } from '../../rows-text.ts';
import { fetchedText, loadedText } from '../clipboard.ts';
import { pasteText } from '../clipboard-events.ts';
import { copyText, wholeRows } from '../copy-text.ts';
import type { Position } from '../movement.ts';
import { type CellRange, cellsIn } from '../range.ts';
import { insertsOf, jsonOf } from '../row-text.ts';
import type { DataGridProps } from '../use-data-grid.ts';
import { ContextMenu, type MenuItem, type MenuPlace } from './context-menu.tsx';

/** The maximum number of rows that can be copied. For more rows, the operator must export a file. */
const maxCopiedRows = 1000;

export interface CellMenuProps {
  readonly grid: DataGridProps;
  readonly place: MenuPlace;
  readonly at: Position;
  /** The selected range, or the cell itself. */
  readonly range: CellRange;
  readonly onEdit: () => void;
  readonly onPeek: () => void;
  readonly onClose: () => void;
}

export default function CellMenu(props: CellMenuProps) {
  const { grid, place, at, range, onClose } = props;
  const navigate = useNavigate();
  const row = grid.rows.row(at.row);
  const key = row?.key;
  const whyItem: MenuItem[] =
    key === undefined || grid.relation.key.kind !== 'columns'
      ? []
      : [
          {
            label: t('menu.why'),
            onChoose: () => {
              const { schema, name: table } = grid.relation;
              const as = grid.view.as === undefined ? {} : { as: grid.view.as };
              void navigate({ to: '/why', search: { schema, table, op: 'select', key, ...as } });
            },
          },
        ];
  const indexes = Array.from(
    { length: range.lastRow - range.firstRow + 1 },
    (_, step) => range.firstRow + step,
  );
  const keys = changeableKeys(grid, indexes, key);
  return (
    <ContextMenu
      label={t('menu.cell')}
      place={place}
      sections={[
        [...copyItems(grid, range, indexes), ...(at.column === 0 ? [] : pasteItems(grid, range))],
        at.column === 0 ? [] : valueItems(props),
        [...rowItems(grid, key), ...editItems(grid, keys), ...whyItem],
        deleteItems(grid, keys),
      ]}
      onClose={onClose}
    />
  );
}

function copyItems(grid: DataGridProps, range: CellRange, indexes: readonly number[]): MenuItem[] {
  const { relation, rows, view, columns, onNote } = grid;
  const name = { schema: relation.schema, table: relation.name };
  const count = indexes.length;
  const asText = (print: (cells: readonly (readonly (string | null)[])[]) => string): Promise<string> =>
    wholeRows(grid, indexes).then(print);
  const copied = t('menu.rows-copied', { count });
  return [
    {
      label: cellsIn(range) === 1 ? t('menu.copy') : t('menu.copy-many', { count: cellsIn(range) }),
      shortcut: 'Ctrl C',
      onChoose: () => {
        const loaded = loadedText(rows, columns, range);
        const text = loaded === undefined ? fetchedText(name, view, columns, range) : Promise.resolve(loaded);
        copyText(text, t('grid.copied', { count: cellsIn(range) }), onNote);
      },
    },
    ...(count > maxCopiedRows
      ? []
      : [
          {
            label: t('menu.json', { count }),
            onChoose: () =>
              copyText(
                asText((cells) => jsonOf(relation.columns, cells)),
                copied,
                onNote,
              ),
          },
          {
            label: t('menu.insert', { count }),
            onChoose: () =>
              copyText(
                asText((cells) => insertsOf(relation, relation.columns, cells)),
                copied,
                onNote,
              ),
          },
        ]),
  ];
}

function pasteItems(grid: DataGridProps, range: CellRange): MenuItem[] {
  const { canWrite, columns, onNote } = grid;
  if (!canWrite || !columns.slice(range.firstColumn - 1).some(isEditable)) return [];
  const refuse = (): void => onNote(t('menu.paste-refused'));
  return [
    {
      label: t('menu.paste'),
      shortcut: 'Ctrl V',
      onChoose() {
        // Browsers allow access to the clipboard only on HTTPS pages and on localhost.
        if (navigator.clipboard === undefined) refuse();
        else void navigator.clipboard.readText().then((text) => pasteText(text, range, grid), refuse);
      },
    },
  ];
}

function valueItems({ grid, at, range, onEdit, onPeek }: CellMenuProps): MenuItem[] {
  const { columns, rows, view, relation, canWrite, edits, onFilters } = grid;
  const column = columns[at.column - 1];
  const row = rows.row(at.row);
  if (column === undefined || row === undefined) return [];
  const value = row.cells[column.at] ?? null;
  const filter: Filter =
    value === null
      ? { column: column.name, operator: 'is_null', value: '' }
      : { column: column.name, operator: 'eq', value };
  // PostgreSQL has no equality operator for some types.
  const isComparable = value === null || !/^(json|xml|point|polygon)$/.test(column.type);
  const isReference = relation.foreign_keys.some((each) => each.columns.includes(column.name));
  return [
    ...(canWrite && isEditable(column) && row.key !== undefined
      ? [{ label: t('menu.edit'), shortcut: 'Enter', onChoose: onEdit }, ...nullItem(grid, range, edits)]
      : []),
    ...(isComparable && !row.cut.includes(column.at)
      ? [{ label: t('menu.filter'), onChoose: () => onFilters([...view.filters, filter]) }]
      : []),
    ...(isReference && value !== null
      ? [{ label: t('peek.open'), shortcut: 'Alt Enter', onChoose: onPeek }]
      : []),
  ];
}

/** Returns the item that sets the cells of the range to NULL, except cells that can't be NULL. */
function nullItem(grid: DataGridProps, range: CellRange, edits: DataGridProps['edits']): MenuItem[] {
  const nullable = grid.columns
    .slice(range.firstColumn - 1, range.lastColumn)
    .filter((column) => column.nullable && isEditable(column));
  if (nullable.length === 0) return [];
  return [
    {
      label: t('menu.null'),
      onChoose() {
        const changes = [];
        for (let index = range.firstRow; index <= range.lastRow; index++) {
          const row = grid.rows.row(index);
          if (row?.key === undefined) continue;
          for (const column of nullable) {
            const seen = row.cut.includes(column.at) ? undefined : (row.cells[column.at] ?? null);
            changes.push({ key: row.key, column: column.name, index, change: { value: null }, seen });
          }
        }
        void edits.save(changes);
      },
    },
  ];
}

function rowItems(grid: DataGridProps, key: RowKey | undefined): MenuItem[] {
  if (key === undefined) return [];
  return [
    { label: t('menu.open'), shortcut: 'Shift Enter', onChoose: () => grid.onOpen(key) },
    ...(grid.canWrite ? [{ label: t('menu.duplicate'), onChoose: () => grid.onDuplicate(key) }] : []),
  ];
}

/** Returns the item that sets a column in several rows. */
function editItems(grid: DataGridProps, keys: readonly RowKey[]): MenuItem[] {
  const { length: count } = keys;
  if (count < 2) return [];
  return [
    { label: t('menu.edit-rows', { count }), onChoose: () => grid.onBulkChange({ kind: 'edit', keys }) },
  ];
}

function deleteItems(grid: DataGridProps, keys: readonly RowKey[]): MenuItem[] {
  const { length: count } = keys;
  if (count === 0) return [];
  return [
    {
      label: t('menu.delete', { count }),
      isDanger: true,
      onChoose: () => grid.onBulkChange({ kind: 'delete', keys }),
    },
  ];
}

/**
 * Returns the rows that the menu can change. Returns the selected rows if the row with `key` is selected, and otherwise
 * the rows of the range.
 */
function changeableKeys(
  grid: DataGridProps,
  indexes: readonly number[],
  key: RowKey | undefined,
): readonly RowKey[] {
  if (!grid.canWrite || key === undefined) return [];
  const selected = [...grid.selected.values()];
  if (selected.some((each) => JSON.stringify(each) === JSON.stringify(key))) return selected;
  return indexes
    .map((index) => grid.rows.row(index)?.key)
    .filter((each): each is RowKey => each !== undefined);
}
