/** Provides the state of the grid, and the functions that the grid's key handlers and rows call. */
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { Filter, Relation, RowKey, Sort } from '../../../api/types.ts';
import type { BulkKind } from '../edits/bulk-change.tsx';
import type { Edits } from '../edits/use-edits.ts';
import { useRowsFocus } from '../rows/rows-focus.ts';
import type { Rows } from '../rows/use-rows.ts';
import type { After } from './cells/cell-editor.tsx';
import { useCellEdit } from './cells/use-cell-edit.ts';
import type { ColumnLayout, GridColumn } from './columns.ts';
import type { GridActions } from './grid-row.tsx';
import { commandOf, type GridCommand, type PlainCommand } from './keys.ts';
import { headHeight } from './layout.ts';
import { type Bounds, move, type Position } from './movement.ts';
import { contains } from './range.ts';
import { useColumnChanges } from './use-column-changes.ts';
import { useGridFocus } from './use-grid-focus.ts';
import { useGridMenu } from './use-grid-menu.ts';
import { useGridPosition } from './use-grid-position.ts';
import { useGridWindow } from './use-grid-window.ts';
import { useRowToggle } from './use-row-toggle.ts';

export interface DataGridProps {
  readonly relation: Relation;
  /** The visible columns. */
  readonly columns: readonly GridColumn[];
  readonly layout: ColumnLayout;
  readonly onLayout: (layout: ColumnLayout) => void;
  readonly view: RowView;
  readonly rows: Rows;
  readonly edits: Edits;
  readonly canWrite: boolean;
  readonly selected: ReadonlyMap<string, RowKey>;
  readonly onSelect: (selected: ReadonlyMap<string, RowKey>) => void;
  readonly onSort: (column: string) => void;
  readonly onOpen: (key: RowKey, column?: string) => void;
  readonly onPeek: (index: number, column: string) => void;
  readonly onVisible: (first: number, last: number) => void;
  /** Called with the active cell's column, or with undefined if a checkbox is active. */
  readonly onActive: (column: string | undefined) => void;
  readonly onBulkChange: (change: BulkKind) => void;
  readonly onDuplicate: (key: RowKey) => void;
  readonly onFilters: (filters: readonly Filter[]) => void;
  readonly onSortBy: (sort: readonly Sort[]) => void;
  readonly onUndo: () => void;
  /** Called for Escape if nothing in the grid is selected. */
  readonly onLeave: () => void;
  /** Shows a message in the footer about the cells that were copied or pasted. */
  readonly onNote: (note: string) => void;
}

const keyAfter = { stay: '', down: 'ArrowDown', right: 'ArrowRight', left: 'ArrowLeft' } as const;

export function useDataGrid(props: DataGridProps, scroller: RefObject<HTMLElement | null>) {
  const { relation, columns, layout, rows, edits, canWrite, selected } = props;
  const { onSelect, onSort, onOpen, onVisible, onActive } = props;
  const total = rows.total.rows;
  const position = useGridPosition(total, columns.length);
  const { at, range } = position;
  useEffect(() => onActive(columns[at.column - 1]?.name));
  const referring = useMemo(() => new Set(relation.foreign_keys.flatMap((key) => key.columns)), [relation]);
  const shown = useGridWindow(scroller, { rows: total, columns, canWrite, layout, at, onVisible });
  const focus = useGridFocus(scroller, at);
  const { toggle, toggleAll } = useRowToggle(rows, selected, onSelect);
  const { editing, ...edit } = useCellEdit({ columns, rows, edits, canWrite, onOpen });
  const menu = useGridMenu(scroller, {
    isEditing: editing !== undefined,
    onOpen(to) {
      // A menu within the selected range applies to the range.
      if (range === undefined || !contains(range, to)) position.moveTo(to, false);
    },
    onClose: focus.request,
  });

  function goTo(to: Position, extend = false): void {
    focus.request();
    position.moveTo(to, extend);
    shown.show(to);
  }

  useRowsFocus(scroller, relation, () => goTo({ row: 0, column: 1 }));

  function peek({ row, column: index }: Position): void {
    const column = columns[index - 1];
    if (column !== undefined && referring.has(column.name)) props.onPeek(row, column.name);
  }

  function sort(index: number): void {
    onSort(columns[index - 1]?.name ?? '');
  }

  const { resize, widen, reorder } = useColumnChanges(props, shown.columns, (column) =>
    goTo({ row: -1, column }),
  );

  const boundsOf = (pageRows: number): Bounds => ({
    rows: total,
    columns: columns.length + 1,
    firstColumn: canWrite ? 0 : 1,
    pageRows,
  });

  const plainCommands: Readonly<Record<PlainCommand, () => void>> = {
    open() {
      const key = rows.row(at.row)?.key;
      if (key !== undefined) onOpen(key);
    },
    peek: () => peek(at),
    sort: () => sort(at.column),
    'toggle-all': toggleAll,
    undo: props.onUndo,
    menu: () => menu.openAt(at),
    delete: () => props.onBulkChange({ kind: 'delete' }),
    'clear-range': position.clearRange,
    'clear-selection': () => onSelect(new Map()),
    leave: () => leave(props, at),
  };

  function perform(command: GridCommand): void {
    if (command.kind === 'move') goTo(command.to, command.extend);
    else if (command.kind === 'toggle') toggle(at.row, command.extend);
    else if (command.kind === 'edit') edit.begin(at, command.typed);
    else if (command.kind === 'resize') widen(at.column, command.by);
    else if (command.kind === 'reorder') reorder(at.column, at.column + command.by);
    else if (command.kind === 'toggle-value') edit.toggle(at);
    else plainCommands[command.kind]();
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (editing !== undefined || event.nativeEvent.isComposing || menu.takeKey(event)) return;
    const command = commandOf(event, {
      at,
      bounds: boundsOf(pageRowsOf(scroller.current, shown.rowHeight)),
      hasKey: rows.row(at.row)?.key !== undefined,
      isRangeExtended: position.isExtended,
      hasSelection: selected.size > 0,
      isBoolean: columns[at.column - 1]?.type === 'boolean',
      canWrite,
    });
    if (command === undefined) return;
    event.preventDefault();
    perform(command);
  }

  const actions = useStableActions({
    press(to, extend) {
      focus.request();
      position.moveTo(to, extend);
    },
    drag(to) {
      if (!focus.isInside() || editing !== undefined) return;
      focus.request();
      position.moveTo(to, true);
    },
    focus(to) {
      if (at.row !== to.row || at.column !== to.column) position.setActive(to);
    },
    edit: edit.begin,
    toggle(index, extend) {
      position.moveTo({ row: index, column: 0 }, false);
      toggle(index, extend);
    },
    peek,
    save(change, after: After) {
      const saved = edit.save(change);
      if (saved === undefined) return;
      goTo(move(saved, { key: keyAfter[after], command: false }, boundsOf(1)) ?? saved);
    },
    cancel(keepFocus) {
      if (keepFocus) focus.request();
      edit.cancel();
    },
  });

  return {
    at,
    range,
    isRangeExtended: position.isExtended,
    setActive: position.setActive,
    shown,
    focus,
    editing,
    referring,
    menu,
    edit: () => edit.begin(at),
    peek: () => peek(at),
    actions,
    toggleAll,
    sort,
    resize,
    reorder,
    onKeyDown,
  };
}

/** Discards the unsaved edit of the focused cell. If there is none, leaves the grid. */
function leave({ rows, columns, edits, onLeave }: DataGridProps, at: Position): void {
  const key = rows.row(at.row)?.key;
  const column = columns[at.column - 1];
  if (key === undefined || column === undefined || !edits.staging.discard(key, column.name)) onLeave();
}

/**
 * Returns the number of rows that Page Up and Page Down scroll. The result is one less than the number of rows that fit
 * in the grid, so one row remains visible.
 */
const pageRowsOf = (scroller: HTMLElement | null, rowHeight: number): number =>
  Math.max(1, Math.floor(((scroller?.clientHeight ?? 0) - headHeight) / rowHeight) - 1);

/**
 * Returns functions that keep their identity and call the latest version of each action, so rows that receive them
 * aren't rendered again.
 */
function useStableActions(current: GridActions): GridActions {
  const latest = useRef(current);
  latest.current = current;
  return useMemo(
    () => ({
      press: (position, extend) => latest.current.press(position, extend),
      drag: (position) => latest.current.drag(position),
      focus: (position) => latest.current.focus(position),
      edit: (position) => latest.current.edit(position),
      toggle: (index, extend) => latest.current.toggle(index, extend),
      peek: (position) => latest.current.peek(position),
      save: (change, after) => latest.current.save(change, after),
      cancel: (keepFocus) => latest.current.cancel(keepFocus),
    }),
    [],
  );
}
