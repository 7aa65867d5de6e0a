/**
 * A grid of rows. One cell has the focus, and the operator can extend the selection to a range of cells. Only visible
 * rows and columns are rendered, and every action is available with the keyboard.
 */
import { Suspense, useDeferredValue, useMemo, useRef } from 'react';
import { lazyPart } from '../../../components/lazy-part.ts';
import { t } from '../text.ts';
import { copyRange, pasteRange } from './clipboard-events.ts';
import classes from './data-grid.module.css';
import { GridBody } from './grid-body.tsx';
import { GridHead } from './grid-head.tsx';
import { headHeight } from './layout.ts';
import type { Position } from './movement.ts';
import type { CellRange } from './range.ts';
import { type DataGridProps, useDataGrid } from './use-data-grid.ts';
import type { OpenMenu } from './use-grid-menu.ts';

const CellMenu = lazyPart(() => import('./cells/cell-menu.tsx'));
const HeadMenu = lazyPart(() => import('./head-menu.tsx'));

export function DataGrid(props: DataGridProps) {
  const { relation, columns, layout, view, rows, edits, canWrite, selected } = props;
  const { schema, name } = relation;
  const table = useMemo(() => ({ schema, table: name }), [schema, name]);
  const scroller = useRef<HTMLDivElement>(null);
  const { at, range, editing, shown, focus, ...grid } = useDataGrid(props, scroller);
  const hasClipboard = editing === undefined && grid.menu.open === undefined && range !== undefined;
  // React delays showing a lazily loaded component that replaces a fallback. In a deferred update, no fallback is
  // shown.
  const menuPlace = useDeferredValue(grid.menu.open);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div
      ref={scroller}
      role="grid"
      tabIndex={-1}
      aria-label={t('grid.label', { table: relation.name })}
      aria-rowcount={rows.total.exact ? rows.total.rows + 1 : -1}
      aria-colcount={columns.length + (canWrite ? 1 : 0)}
      aria-multiselectable
      aria-readonly={!canWrite}
      aria-busy={rows.isFetching}
      className={classes.grid}
      data-density={layout.density}
      onKeyDown={grid.onKeyDown}
      onCopy={(event) => {
        if (hasClipboard) copyRange(event, range, props);
      }}
      onPaste={(event) => {
        if (hasClipboard && canWrite) pasteRange(event, range, props);
      }}
      onContextMenu={grid.menu.onContextMenu}
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
      <Suspense fallback={null}>
        {menuPlace === undefined || menuPlace !== grid.menu.open ? null : (
          <GridMenu props={props} grid={grid} place={menuPlace} at={at} range={range} />
        )}
      </Suspense>
    </div>
  );
}

function GridMenu({
  props,
  grid: { menu, edit, peek },
  place,
  at,
  range,
}: {
  props: DataGridProps;
  grid: Pick<ReturnType<typeof useDataGrid>, 'menu' | 'edit' | 'peek'>;
  place: OpenMenu;
  at: Position;
  range: CellRange | undefined;
}) {
  const { row, column } = place.at;
  if (row < 0) return <HeadMenu grid={props} place={place} column={column} onClose={menu.close} />;
  // If the context menu is opened on a checkbox, the menu applies to the whole row.
  const whole = { firstRow: row, lastRow: row, firstColumn: 1, lastColumn: props.columns.length };
  return (
    <CellMenu
      grid={props}
      place={place}
      at={at}
      range={column === 0 ? whole : (range ?? whole)}
      onEdit={edit}
      onPeek={peek}
      onClose={menu.close}
    />
  );
}
