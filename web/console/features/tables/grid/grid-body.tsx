/** Renders the visible rows, the rows near them, and the row that has focus. */
import type { TableName } from '../../../api/queries.ts';
import type { RowKey } from '../../../api/types.ts';
import { keyText } from '../cells.ts';
import type { Edits } from '../edits/use-edits.ts';
import type { Rows } from '../rows/use-rows.ts';
import type { Editing } from './cells/use-cell-edit.ts';
import classes from './data-grid.module.css';
import { type GridActions, GridRowView } from './grid-row.tsx';
import { shownIndexes } from './layout.ts';
import type { Position } from './movement.ts';
import type { CellRange } from './range.ts';
import type { GridWindow } from './use-grid-window.ts';

export function GridBody({
  rows,
  edits,
  shown,
  at,
  range,
  editing,
  selected,
  canWrite,
  referring,
  table,
  as,
  actions,
}: {
  rows: Rows;
  edits: Edits;
  shown: GridWindow;
  at: Position;
  /** The range to highlight. */
  range: CellRange | undefined;
  editing: Editing | undefined;
  selected: ReadonlyMap<string, RowKey>;
  canWrite: boolean;
  /** Columns that have a foreign key. */
  referring: ReadonlySet<string>;
  table: TableName;
  as: string | undefined;
  actions: GridActions;
}) {
  const { rowHeight, columns } = shown;
  const { width } = columns;
  const { first, last, shift, height } = shown.rows;
  const failedKey = edits.failure && keyText(edits.failure.edit.key);
  const indexes = shownIndexes(shown.rows, rows.total.rows, at.row);
  // If the scroll range is scaled, the rows are positioned relative to the first visible row, so scrolling moves only
  // the layer that contains the rows.
  const base = shift === 0 ? 0 : first;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div role="rowgroup" className={classes.body} style={{ width, height }}>
      <div
        role="presentation"
        className={classes.layer}
        style={{ width, transform: `translateY(${shift + base * rowHeight}px)` }}
      >
        {indexes.map((index) => {
          const row = rows.row(index);
          const id = row?.key === undefined ? undefined : keyText(row.key);
          const isInRange = range !== undefined && index >= range.firstRow && index <= range.lastRow;
          return (
            <GridRowView
              key={index}
              index={index}
              top={(index - base) * rowHeight}
              width={width}
              height={rowHeight}
              row={row}
              pinned={columns.pinned}
              pinnedWidth={columns.pinnedWidth}
              scrolling={columns.scrolling}
              active={at.row === index ? at.column : undefined}
              rangeFrom={isInRange ? range.firstColumn : undefined}
              rangeTo={isInRange ? range.lastColumn : undefined}
              editing={
                editing?.row === index ? editingOf(editing, index > first + 3 && index > last - 4) : undefined
              }
              pending={row?.key === undefined ? undefined : edits.pending(row.key)}
              isStaged={row?.key !== undefined && edits.staging.has(row.key)}
              failed={id !== undefined && id === failedKey ? edits.failure?.edit.column : undefined}
              isSelected={id !== undefined && selected.has(id)}
              canWrite={canWrite}
              referring={referring}
              table={table}
              as={as}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}

const editingOf = ({ column, typed, value, isPopup }: Editing, above: boolean) => ({
  column,
  typed,
  value,
  isPopup,
  above,
});
