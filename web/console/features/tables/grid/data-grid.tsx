/**
 * A grid of rows in which one cell has focus and can be extended to a range. Only visible rows and columns are
 * rendered, and every action is available with the keyboard.
 */
import { useMemo, useRef } from 'react';
import { t } from '../text.ts';
import { copyRange, pasteRange } from './clipboard-events.ts';
import classes from './data-grid.module.css';
import { GridBody } from './grid-body.tsx';
import { GridHead } from './grid-head.tsx';
import { headHeight } from './layout.ts';
import { type DataGridProps, useDataGrid } from './use-data-grid.ts';

export function DataGrid(props: DataGridProps) {
  const { relation, columns, layout, view, rows, edits, canWrite, selected } = props;
  const { schema, name } = relation;
  const table = useMemo(() => ({ schema, table: name }), [schema, name]);
  const scroller = useRef<HTMLDivElement>(null);
  const { at, range, editing, shown, focus, ...grid } = useDataGrid(props, scroller);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div
      ref={scroller}
      role="grid"
      tabIndex={-1}
      aria-label={t('grid.label', { table: relation.name })}
      aria-rowcount={rows.total.exact ? rows.total.rows + 1 : -1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-readonly={!canWrite}
      aria-busy={rows.isFetching}
      className={classes.grid}
      data-density={layout.density}
      onKeyDown={grid.onKeyDown}
      onCopy={(event) => {
        if (editing === undefined && range !== undefined) copyRange(event, range, props);
      }}
      onPaste={(event) => {
        if (editing === undefined && range !== undefined && canWrite) pasteRange(event, range, props);
      }}
      onFocus={focus.onFocus}
      onBlur={focus.onBlur}
    >
      <GridHead
        columns={shown.columns}
        sort={view.sort}
        height={headHeight}
        active={at.row === -1 ? at.column : undefined}
        canWrite={canWrite}
        selection={selected.size === 0 ? 'off' : 'some'}
        onToggleAll={() => {
          grid.setActive({ row: -1, column: 0 });
          grid.toggleAll();
        }}
        onSort={(column) => {
          grid.setActive({ row: -1, column });
          grid.sort(column);
        }}
        onResize={grid.resize}
        onReorder={grid.reorder}
      />
      <GridBody
        rows={rows}
        edits={edits}
        shown={shown}
        at={at}
        range={grid.isRangeExtended ? range : undefined}
        editing={editing}
        selected={selected}
        canWrite={canWrite}
        referring={grid.referring}
        table={table}
        as={view.as}
        actions={grid.actions}
      />
    </div>
  );
}
