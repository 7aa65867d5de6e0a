/** Renders one row of the grid. The row is rendered again only if its own data changes. */
import { IconArrowUpRight } from '@tabler/icons-react';
import { memo, type PointerEvent, Suspense } from 'react';
import type { TableName } from '../../../api/queries.ts';
import type { CellChange, Cell as CellValue } from '../../../api/types.ts';
import { lazyPart } from '../../../components/lazy-part.ts';
import { type GridRow, isEditable, isMono, isNumber } from '../cells.ts';
import { t } from '../text.ts';
import { Value } from '../value.tsx';
import { type After, CellEditor } from './cells/cell-editor.tsx';
import classes from './data-grid.module.css';
import { boxWidth } from './layout.ts';
import type { Position } from './movement.ts';
import type { PlacedColumn } from './use-column-window.ts';

const CellPopup = lazyPart(() => import('./cells/cell-popup.tsx'));

/** The functions that a row calls. The functions don't change while the grid exists. */
export interface GridActions {
  press(position: Position, extend: boolean): void;
  drag(position: Position): void;
  focus(position: Position): void;
  edit(position: Position): void;
  toggle(index: number, extend: boolean): void;
  peek(position: Position): void;
  save(change: CellChange, after: After): void;
  cancel(keepFocus: boolean): void;
}

export interface GridRowProps {
  readonly index: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly row: GridRow | undefined;
  readonly pinned: readonly PlacedColumn[];
  readonly pinnedWidth: number;
  readonly scrolling: readonly PlacedColumn[];
  /** The column in this row that has focus, if any. Column 0 is the checkbox. */
  readonly active: number | undefined;
  /** The columns in this row that belong to the selected range. */
  readonly rangeFrom: number | undefined;
  readonly rangeTo: number | undefined;
  readonly editing:
    | {
        readonly column: number;
        readonly typed: string | undefined;
        readonly value: CellValue;
        readonly above: boolean;
        readonly isPopup: boolean;
      }
    | undefined;
  readonly pending: ReadonlyMap<string, CellChange> | undefined;
  /** Whether the pending values are edits that haven't been saved yet. */
  readonly isStaged: boolean;
  readonly failed: string | undefined;
  readonly isSelected: boolean;
  readonly canWrite: boolean;
  /** Columns that have a foreign key. */
  readonly referring: ReadonlySet<string>;
  readonly table: TableName;
  readonly as: string | undefined;
  readonly actions: GridActions;
}

export const GridRowView = memo(function GridRowView(props: GridRowProps) {
  const { index, top, width, height, pinned, pinnedWidth, scrolling, isSelected } = props;
  const { canWrite, editing } = props;
  const cell = (place: PlacedColumn) => <Cell key={place.column.name} {...props} place={place} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    // biome-ignore lint/a11y/useFocusableInteractive: the cells receive focus
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={canWrite ? isSelected : undefined}
      data-selected={isSelected || undefined}
      data-editing={editing === undefined ? undefined : true}
      className={classes.row}
      style={{ height, width, transform: `translateY(${top}px)` }}
    >
      <div role="presentation" className={classes.pins} style={{ width: pinnedWidth }}>
        {canWrite ? <RowBox {...props} /> : null}
        {pinned.map(cell)}
      </div>
      {scrolling.map(cell)}
    </div>
  );
});

/** The checkbox that selects the row. */
function RowBox({ index, row, active, isSelected, actions }: GridRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keyboard events
    <div
      role="gridcell"
      aria-colindex={1}
      data-cell={`${index}:0`}
      tabIndex={active === 0 ? 0 : -1}
      className={classes.box}
      style={{ width: boxWidth }}
      aria-label={t(isSelected ? 'grid.selected' : 'grid.not-selected', { row: index + 1 })}
      onClick={(event) => actions.toggle(index, event.shiftKey)}
      onFocus={() => actions.focus({ row: index, column: 0 })}
    >
      {row?.key === undefined ? null : <Tick state={isSelected ? 'on' : 'off'} />}
    </div>
  );
}

function Cell(props: GridRowProps & { place: PlacedColumn }) {
  const { index, row, place, active, editing, actions, canWrite, pending } = props;
  const { column, left, width } = place;
  const position = { row: index, column: place.index + 1 };
  const isActive = active === position.column;
  const isEditing = editing?.column === position.column;
  const { rangeFrom, rangeTo } = props;
  const isInRange =
    rangeFrom !== undefined &&
    rangeTo !== undefined &&
    position.column >= rangeFrom &&
    position.column <= rangeTo;
  const change = pending?.get(column.name);
  const value = row?.cells[column.at] ?? null;
  const isStaged = change !== undefined && props.isStaged;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div
      role="gridcell"
      aria-colindex={place.index + (canWrite ? 2 : 1)}
      aria-readonly={!canWrite || !isEditable(column) || undefined}
      aria-selected={isInRange || undefined}
      data-cell={`${index}:${position.column}`}
      data-number={isNumber(column) || undefined}
      data-mono={isMono(column) || undefined}
      data-reference={props.referring.has(column.name) || undefined}
      data-failed={props.failed === column.name || undefined}
      data-range={isInRange || undefined}
      data-pending={change === undefined || isStaged ? undefined : true}
      data-staged={isStaged || undefined}
      title={isStaged ? t('grid.unsaved', { value: value?.slice(0, 100) ?? 'NULL' }) : undefined}
      tabIndex={isActive ? 0 : -1}
      className={classes.cell}
      style={{ left, width }}
      onPointerDown={(event) => {
        if (isEditing) return;
        if (event.button === 0) actions.press(position, event.shiftKey);
        // Pressing any other mouse button also moves the focus, and without this call, that would extend the range.
        else if (!isInRange) actions.press(position, false);
      }}
      onPointerEnter={(event: PointerEvent) => {
        if (event.buttons === 1 && event.pointerType === 'mouse') actions.drag(position);
      }}
      onFocus={() => actions.focus(position)}
      onDoubleClick={() => {
        if (!isEditing) actions.edit(position);
      }}
    >
      {isEditing && !editing.isPopup ? (
        <CellEditor
          column={column}
          value={editing.value}
          typed={editing.typed}
          above={editing.above}
          onSave={actions.save}
          onCancel={actions.cancel}
        />
      ) : row === undefined ? (
        <span className={classes.waiting} />
      ) : (
        <Value change={change ?? { value }} isCut={change === undefined && row.cut.includes(column.at)} />
      )}
      {isEditing && editing.isPopup ? (
        <Suspense fallback={null}>
          <CellPopup
            column={column}
            table={props.table}
            as={props.as}
            value={editing.value}
            typed={editing.typed}
            onSave={actions.save}
            onCancel={actions.cancel}
          />
        </Suspense>
      ) : null}
      {isActive && !isEditing && value !== null && props.referring.has(column.name) ? (
        <button
          type="button"
          tabIndex={-1}
          className={classes.peek}
          aria-label={t('peek.open')}
          title={`${t('peek.open')} (Alt Enter)`}
          onPointerDown={(event) => event.stopPropagation()}
          onClick={() => actions.peek(position)}
        >
          <IconArrowUpRight size={14} aria-hidden />
        </button>
      ) : null}
    </div>
  );
}

export function Tick({ state }: { state: 'on' | 'off' | 'some' }) {
  return (
    <span className={classes.tick} data-state={state} aria-hidden>
      {state === 'on' ? '✓' : state === 'some' ? '–' : ''}
    </span>
  );
}
