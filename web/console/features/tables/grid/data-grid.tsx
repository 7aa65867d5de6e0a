/** The row grid: virtual in both directions, every action by keyboard, one focused cell. */
import { IconArrowDown, IconArrowUp, IconKey } from '@tabler/icons-react';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { CellChange, Relation, RowKey, Sort } from '../../../api/types.ts';
import { t } from '../../../text.ts';
import {
  editorOf,
  type GridRow,
  isEditable,
  isMono,
  isNumber,
  keyOf,
  keyText,
  shortType,
  widthOf,
} from '../cells.ts';
import type { Edits } from '../use-edits.ts';
import type { Rows } from '../use-rows.ts';
import { Value } from '../value.tsx';
import { type After, CellEditor } from './cell-editor.tsx';
import classes from './data-grid.module.css';
import { move, type Position } from './movement.ts';

const rowHeight = 33;
const headHeight = 36;
const boxWidth = 40;
const overscan = 6;
/** Browsers end an element near 33 million pixels. */
const mostRows = 900_000;

export interface DataGridProps {
  readonly relation: Relation;
  readonly rows: Rows;
  readonly sort: readonly Sort[];
  readonly edits: Edits;
  readonly canWrite: boolean;
  readonly selected: ReadonlyMap<string, RowKey>;
  readonly onSelect: (selected: ReadonlyMap<string, RowKey>) => void;
  readonly onSort: (column: string) => void;
  readonly onOpen: (key: RowKey, column?: string) => void;
  readonly onVisible: (first: number, last: number) => void;
  readonly onDelete: () => void;
}

interface Editing extends Position {
  readonly typed: string | undefined;
}

export function DataGrid(props: DataGridProps) {
  const { relation, rows, sort, edits, canWrite, selected, onSelect, onSort, onOpen, onVisible } = props;
  const { columns } = relation;
  const total = Math.min(rows.total.rows, mostRows);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Position>({ row: total > 0 ? 0 : -1, column: 1 });
  const [editing, setEditing] = useState<Editing>();
  const wantsFocus = useRef(false);
  /** The focus is in the grid; it stays there when the cell that has it goes away. */
  const ownsFocus = useRef(false);
  const at: Position = {
    row: Math.min(active.row, total - 1),
    column: Math.min(active.column, columns.length),
  };

  const widths = useMemo(() => columns.map(widthOf), [columns]);
  const withActive = (index: number) => (range: Range) => {
    const items = defaultRangeExtractor(range);
    return index < 0 || index >= range.count || items.includes(index)
      ? items
      : [...items, index].sort((left, right) => left - right);
  };
  const rowVirtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollPaddingStart: headHeight,
    paddingStart: 0,
    rangeExtractor: withActive(at.row),
  });
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 200,
    overscan: 2,
    scrollPaddingStart: boxWidth,
    rangeExtractor: withActive(at.column - 1),
  });
  const shownRows = rowVirtual.getVirtualItems();
  const shownColumns = columnVirtual.getVirtualItems();
  const first = rowVirtual.range?.startIndex ?? 0;
  const last = rowVirtual.range?.endIndex ?? 0;
  useEffect(() => onVisible(first, last), [first, last, onVisible]);

  useLayoutEffect(() => {
    const isLost = ownsFocus.current && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    wantsFocus.current = false;
    scroller.current
      ?.querySelector<HTMLElement>(`[data-cell="${at.row}:${at.column}"]`)
      ?.focus({ preventScroll: true });
  });

  function goTo(to: Position): void {
    wantsFocus.current = true;
    setActive(to);
    if (to.row >= 0) rowVirtual.scrollToIndex(to.row);
    if (to.column > 0) columnVirtual.scrollToIndex(to.column - 1);
    else if (scroller.current !== null) scroller.current.scrollLeft = 0;
  }

  const rowKeyAt = (index: number): RowKey | undefined => {
    const row = rows.row(index);
    return row === undefined ? undefined : keyOf(relation, row);
  };

  function toggle(index: number): void {
    const key = rowKeyAt(index);
    if (key === undefined) return;
    const next = new Map(selected);
    if (!next.delete(keyText(key))) next.set(keyText(key), key);
    onSelect(next);
  }

  const loadedKeys = (): RowKey[] => {
    const keys: RowKey[] = [];
    for (let index = 0; index < Math.min(total, 1000); index++) {
      const key = rowKeyAt(index);
      if (key !== undefined) keys.push(key);
    }
    return keys;
  };

  function toggleAll(): void {
    onSelect(selected.size > 0 ? new Map() : new Map(loadedKeys().map((key) => [keyText(key), key])));
  }

  /** Edits in place, or in the panel when the cell does not fit a line. */
  function beginEdit(position: Position, typed?: string): void {
    const column = columns[position.column - 1];
    const row = rows.row(position.row);
    if (column === undefined || row === undefined) return;
    const key = keyOf(relation, row);
    if (key === undefined) return;
    const index = position.column - 1;
    const kind = editorOf(column, row.cells[index] ?? null, row.cut.includes(index));
    if (!canWrite || !isEditable(column) || kind === 'panel') onOpen(key, column.name);
    else setEditing({ ...position, typed: kind === 'text' ? typed : undefined });
  }

  /** What a key does; undefined leaves it to the browser. */
  function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const command = ctrlKey || metaKey;
    if (altKey) return undefined;
    const pageRows = Math.max(
      1,
      Math.floor(((scroller.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1,
    );
    const to = move(at, { key, command }, { rows: total, columns: columns.length + 1, pageRows });
    if (to !== undefined) return () => goTo(to);
    const letter = key.toLowerCase();
    if (command && letter === 'z' && !shiftKey) return () => void edits.undo();
    if (command && letter === 'c') return copy;
    if (command) return undefined;
    if (at.row < 0) {
      if (key !== 'Enter' && key !== ' ') return undefined;
      const column = columns[at.column - 1];
      return column === undefined ? toggleAll : () => onSort(column.name);
    }
    if (key === 'Enter' && shiftKey) {
      const row = rowKeyAt(at.row);
      return row && (() => onOpen(row));
    }
    if (key === ' ' && (at.column === 0 || shiftKey)) return () => toggle(at.row);
    if (key === 'Delete' && selected.size > 0) return props.onDelete;
    if (key === 'Escape' && selected.size > 0) return () => onSelect(new Map());
    if (key === 'Enter' || key === 'F2') return () => (at.column === 0 ? toggle(at.row) : beginEdit(at));
    if (key.length === 1 && key !== ' ' && at.column > 0 && canWrite) return () => beginEdit(at, key);
    return undefined;
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (editing !== undefined || event.nativeEvent.isComposing) return;
    const act = actionOf(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  function copy(): void {
    const value = rows.row(at.row)?.cells[at.column - 1];
    if (value !== undefined) void navigator.clipboard.writeText(value ?? '');
  }

  function save(change: CellChange, after: After): void {
    const position = editing;
    setEditing(undefined);
    if (position === undefined) return;
    const row = rows.row(position.row);
    const column = columns[position.column - 1];
    const key = row === undefined ? undefined : keyOf(relation, row);
    if (row === undefined || column === undefined || key === undefined) return;
    const seen = row.cells[position.column - 1] ?? null;
    void edits.save({ key, column: column.name, index: position.row, change, seen });
    const moves = { stay: '', down: 'ArrowDown', right: 'ArrowRight', left: 'ArrowLeft' } as const;
    goTo(
      move(
        position,
        { key: moves[after], command: false },
        { rows: total, columns: columns.length + 1, pageRows: 1 },
      ) ?? position,
    );
  }

  function cancel(keepFocus: boolean): void {
    if (keepFocus) wantsFocus.current = true;
    setEditing(undefined);
  }

  const sortOf = (name: string): Sort | undefined => sort.find((each) => each.column === name);
  const width = boxWidth + columnVirtual.getTotalSize();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be virtual in both directions
    <div
      ref={scroller}
      role="grid"
      tabIndex={-1}
      aria-label={t('grid.label', { table: relation.name })}
      aria-rowcount={rows.total.exact ? total + 1 : -1}
      aria-colcount={columns.length + 1}
      aria-multiselectable={canWrite}
      aria-readonly={!canWrite}
      aria-busy={rows.isFetching}
      className={classes.grid}
      onKeyDown={onKeyDown}
      onFocus={() => {
        ownsFocus.current = true;
      }}
      onBlur={() => {
        ownsFocus.current = false;
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className={classes.head} style={{ width, height: headHeight }}>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus */}
        <div role="row" aria-rowindex={1} className={classes.headRow}>
          {/* biome-ignore lint/a11y/useSemanticElements: see above */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys */}
          <div
            role="columnheader"
            aria-colindex={1}
            data-cell="-1:0"
            tabIndex={at.row === -1 && at.column === 0 ? 0 : -1}
            className={classes.box}
            onClick={() => {
              setActive({ row: -1, column: 0 });
              toggleAll();
            }}
          >
            <span className="visually-hidden">{t('grid.select-all')}</span>
            {canWrite ? <Tick state={selected.size === 0 ? 'off' : 'some'} /> : null}
          </div>
          {shownColumns.map(({ index, start, size }) => {
            const column = columns[index];
            if (column === undefined) return null;
            const sorted = sortOf(column.name);
            return (
              // biome-ignore lint/a11y/useSemanticElements: see above
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
              <div
                key={column.name}
                role="columnheader"
                aria-colindex={index + 2}
                aria-sort={sorted === undefined ? 'none' : sorted.ascending ? 'ascending' : 'descending'}
                data-cell={`-1:${index + 1}`}
                tabIndex={at.row === -1 && at.column === index + 1 ? 0 : -1}
                className={classes.headCell}
                style={{ left: boxWidth + start, width: size }}
                title={column.comment ?? column.type}
                onClick={() => {
                  setActive({ row: -1, column: index + 1 });
                  onSort(column.name);
                }}
              >
                {column.primary_key ? <IconKey size={13} className={classes.keyIcon} aria-hidden /> : null}
                <span className={classes.name}>{column.name}</span>
                <span className={classes.type}>{shortType(column.type)}</span>
                {sorted === undefined ? null : sorted.ascending ? (
                  <IconArrowUp size={14} aria-hidden />
                ) : (
                  <IconArrowDown size={14} aria-hidden />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className={classes.body} style={{ width, height: rowVirtual.getTotalSize() }}>
        {shownRows.map(({ index, start }) => {
          const row = rows.row(index);
          const key = row === undefined ? undefined : keyOf(relation, row);
          const isSelected = key !== undefined && selected.has(keyText(key));
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isSelected}
              data-selected={isSelected || undefined}
              data-editing={editing?.row === index || undefined}
              className={classes.row}
              style={{ height: rowHeight, width, transform: `translateY(${start}px)` }}
            >
              {/* biome-ignore lint/a11y/useSemanticElements: see above */}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys */}
              <div
                role="gridcell"
                aria-colindex={1}
                data-cell={`${index}:0`}
                tabIndex={at.row === index && at.column === 0 ? 0 : -1}
                className={classes.box}
                aria-label={t(isSelected ? 'grid.selected' : 'grid.not-selected', { row: index + 1 })}
                onClick={() => {
                  setActive({ row: index, column: 0 });
                  toggle(index);
                }}
              >
                {canWrite && key !== undefined ? <Tick state={isSelected ? 'on' : 'off'} /> : null}
              </div>
              {shownColumns.map((virtual) => {
                const column = columns[virtual.index];
                if (column === undefined) return null;
                const position = { row: index, column: virtual.index + 1 };
                const isEditing = editing?.row === index && editing.column === position.column;
                return (
                  // biome-ignore lint/a11y/useSemanticElements: see above
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys
                  <div
                    key={column.name}
                    role="gridcell"
                    aria-colindex={virtual.index + 2}
                    aria-readonly={!canWrite || !isEditable(column) || undefined}
                    data-cell={`${index}:${position.column}`}
                    data-number={isNumber(column) || undefined}
                    data-mono={isMono(column) || undefined}
                    data-failed={isFailed(edits, key, column.name) || undefined}
                    tabIndex={at.row === index && at.column === position.column ? 0 : -1}
                    className={classes.cell}
                    style={{ left: boxWidth + virtual.start, width: virtual.size }}
                    onClick={(event) => {
                      if (isEditing) return;
                      setActive(position);
                      event.currentTarget.focus({ preventScroll: true });
                    }}
                    onFocus={() => {
                      if (at.row !== index || at.column !== position.column) setActive(position);
                    }}
                    onDoubleClick={() => {
                      if (!isEditing) beginEdit(position);
                    }}
                  >
                    {isEditing ? (
                      <CellEditor
                        column={column}
                        value={row?.cells[virtual.index] ?? null}
                        typed={editing.typed}
                        above={index > first + 3 && index > last - 4}
                        onSave={save}
                        onCancel={cancel}
                      />
                    ) : (
                      <CellContent
                        row={row}
                        index={virtual.index}
                        pending={key === undefined ? undefined : edits.pending(key, column.name)}
                      />
                    )}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function isFailed({ failure }: Edits, key: RowKey | undefined, column: string): boolean {
  return (
    failure !== undefined &&
    key !== undefined &&
    failure.edit.column === column &&
    keyText(failure.edit.key) === keyText(key)
  );
}

function CellContent({
  row,
  index,
  pending,
}: {
  row: GridRow | undefined;
  index: number;
  pending: CellChange | undefined;
}) {
  if (row === undefined) return <span className={classes.waiting} />;
  return (
    <Value
      change={pending ?? { value: row.cells[index] ?? null }}
      isCut={pending === undefined && row.cut.includes(index)}
    />
  );
}

function Tick({ state }: { state: 'on' | 'off' | 'some' }) {
  return (
    <span className={classes.tick} data-state={state} aria-hidden>
      {state === 'on' ? '✓' : state === 'some' ? '–' : ''}
    </span>
  );
}
