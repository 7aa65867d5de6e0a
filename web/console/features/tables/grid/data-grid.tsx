/**
 * The row grid: virtualized in both directions, fully usable by keyboard, with one focused cell and a range around it.
 */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { Cell, CellChange, Relation, RowKey } from '../../../api/types.ts';
import { messageOf } from '../../../components/problem-box.tsx';
import { editorOf, isEditable, keyText, widthOf } from '../cells.ts';
import { t } from '../text.ts';
import type { Edits } from '../use-edits.ts';
import type { Rows } from '../use-rows.ts';
import type { After } from './cell-editor.tsx';
import { fetchedText, loadedText, mostPastedRows, pasteEdits, pasteHeight } from './clipboard.ts';
import classes from './data-grid.module.css';
import { GridHead } from './grid-head.tsx';
import { type GridActions, GridRowView } from './grid-row.tsx';
import { move, type Position } from './movement.ts';
import { type CellRange, cellsIn, rangeOf } from './range.ts';
import { useRowWindow } from './use-row-window.ts';

const rowHeight = 33;
const headHeight = 36;
const boxWidth = 40;
const overscan = 6;
/** The number of rows that the header's checkbox selects. */
const mostSelected = 1000;

export interface DataGridProps {
  readonly relation: Relation;
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
  readonly onDelete: () => void;
  /** Reports what was copied or pasted, for the footer. */
  readonly onNote: (note: string) => void;
}

interface Editing extends Position {
  readonly typed: string | undefined;
  /** The row's key and the value that was seen, because another row may be in this position by the time of the save. */
  readonly key: RowKey;
  readonly seen: Cell;
  /** The shown value, which a pending save may have changed. */
  readonly value: Cell;
  readonly since: number;
}

export function DataGrid(props: DataGridProps) {
  const { relation, view, rows, edits, canWrite, selected, onSelect, onSort, onOpen, onVisible } = props;
  const { columns } = relation;
  const total = rows.total.rows;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Position>({ row: total > 0 ? 0 : -1, column: 1 });
  /** The opposite corner of the range. */
  const [anchor, setAnchor] = useState<Position>();
  const [editing, setEditing] = useState<Editing>();
  const lastToggled = useRef<number>(undefined);
  const wantsFocus = useRef(false);
  /** Whether the focus is in the grid, where it stays if the focused cell is removed. */
  const ownsFocus = useRef(false);
  const at: Position = {
    row: Math.min(active.row, total - 1),
    column: Math.min(active.column, columns.length),
  };
  const range = rangeOf(anchor, at);

  const widths = useMemo(() => columns.map(widthOf), [columns]);
  const referring = useMemo(() => new Set(relation.foreign_keys.flatMap((key) => key.columns)), [relation]);
  const rowWindow = useRowWindow(scroller, { rows: total, rowHeight, headHeight });
  const activeColumn = at.column - 1;
  // Stable while the same cell has the focus, so that the list of columns stays the same.
  const columnsInView = useCallback(
    (shown: Range) => withItem(defaultRangeExtractor(shown), activeColumn, shown.count),
    [activeColumn],
  );
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 200,
    overscan: 2,
    scrollPaddingStart: boxWidth,
    rangeExtractor: columnsInView,
  });
  const shownColumns = columnVirtual.getVirtualItems();
  const { first, last } = rowWindow;
  useEffect(() => onVisible(first, last), [first, last, onVisible]);

  useLayoutEffect(() => {
    const isLost = ownsFocus.current && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    wantsFocus.current = false;
    scroller.current
      ?.querySelector<HTMLElement>(`[data-cell="${at.row}:${at.column}"]`)
      ?.focus({ preventScroll: true });
  });

  function goTo(to: Position, extend = false): void {
    wantsFocus.current = true;
    setAnchor(extend ? (anchor ?? at) : undefined);
    setActive(to);
    if (to.row >= 0) rowWindow.show(to.row);
    if (to.column > 0) columnVirtual.scrollToIndex(to.column - 1);
    else if (scroller.current !== null) scroller.current.scrollLeft = 0;
  }

  const rowKeyAt = (index: number): RowKey | undefined => rows.row(index)?.key;

  /** With `extend`, includes all rows since the one that was toggled last. */
  function toggle(index: number, extend: boolean): void {
    const key = rowKeyAt(index);
    if (key === undefined) return;
    const next = new Map(selected);
    const from = extend ? (lastToggled.current ?? index) : index;
    if (from === index && !next.delete(keyText(key))) next.set(keyText(key), key);
    for (let each = Math.min(from, index); from !== index && each <= Math.max(from, index); each++) {
      const between = rowKeyAt(each);
      if (between !== undefined) next.set(keyText(between), between);
    }
    lastToggled.current = index;
    onSelect(next);
  }

  function toggleAll(): void {
    const next = new Map<string, RowKey>();
    for (let index = 0; selected.size === 0 && index < Math.min(total, mostSelected); index++) {
      const key = rowKeyAt(index);
      if (key !== undefined) next.set(keyText(key), key);
    }
    onSelect(next);
  }

  /** Edits in place, or in the panel if the cell doesn't fit on a line. */
  function beginEdit(position: Position, typed?: string): void {
    const column = columns[position.column - 1];
    const row = rows.row(position.row);
    if (column === undefined || row?.key === undefined) return;
    const index = position.column - 1;
    const kind = editorOf(column, row.cells[index] ?? null, row.cut.includes(index));
    if (!canWrite || !isEditable(column) || kind === 'panel') onOpen(row.key, column.name);
    else {
      const { key } = row;
      const seen = row.cells[index] ?? null;
      const change = edits.pending(key)?.get(column.name);
      const value = change !== undefined && 'value' in change ? change.value : seen;
      const text = kind === 'text' ? typed : undefined;
      setEditing({ ...position, typed: text, key, seen, value, since: edits.count() });
    }
  }

  function peekAt(position: Position): void {
    const column = columns[position.column - 1];
    if (column !== undefined && referring.has(column.name)) props.onPeek(position.row, column.name);
  }

  /** Returns the action of a key. Undefined leaves it to the browser. */
  function actionOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): (() => void) | undefined {
    const command = ctrlKey || metaKey;
    if (altKey) return key === 'Enter' ? () => peekAt(at) : undefined;
    const pageRows = Math.max(
      1,
      Math.floor(((scroller.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1,
    );
    const to = move(at, { key, command }, { rows: total, columns: columns.length + 1, pageRows });
    if (to !== undefined) return () => goTo(to, shiftKey);
    const letter = key.toLowerCase();
    if (command && letter === 'z' && !shiftKey) return () => void edits.undo();
    // Ctrl+C and Ctrl+V arrive as separate events.
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
    if (key === ' ' && (at.column === 0 || shiftKey))
      return () => toggle(at.row, shiftKey && at.column === 0);
    if (key === 'Delete' && selected.size > 0) return props.onDelete;
    if (key === 'Escape' && anchor !== undefined) return () => setAnchor(undefined);
    if (key === 'Escape' && selected.size > 0) return () => onSelect(new Map());
    if (key === 'Enter' || key === 'F2')
      return () => (at.column === 0 ? toggle(at.row, false) : beginEdit(at));
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

  function onCopy(event: ClipboardEvent): void {
    if (editing !== undefined || range === undefined) return;
    event.preventDefault();
    const text = loadedText(rows, range);
    const done = (): void => props.onNote(t('grid.copied', { count: cellsIn(range) }));
    if (text !== undefined) {
      event.clipboardData.setData('text/plain', text);
      done();
      return;
    }
    props.onNote(t('grid.copying'));
    const name = { schema: relation.schema, table: relation.name };
    // The text is passed as a promise, because browsers only let a page write to the clipboard while the key is
    // pressed.
    const whole = fetchedText(name, view, range).then((tsv) => new Blob([tsv], { type: 'text/plain' }));
    void navigator.clipboard
      .write([new ClipboardItem({ 'text/plain': whole })])
      .then(done, (error: unknown) => props.onNote(String(error)));
  }

  function onPaste(event: ClipboardEvent): void {
    if (editing !== undefined || range === undefined || !canWrite) return;
    event.preventDefault();
    void paste(range, event.clipboardData.getData('text/plain')).catch((error: unknown) =>
      props.onNote(messageOf(error)),
    );
  }

  async function paste(target: CellRange, text: string): Promise<void> {
    const height = pasteHeight(target, text);
    if (height > mostPastedRows) return props.onNote(t('grid.paste-most', { most: mostPastedRows }));
    const last = target.firstRow + height - 1;
    if (rows.row(last) === undefined) {
      props.onNote(t('grid.pasting'));
      await rows.load(target.firstRow, last);
    }
    const { edits: pasted, left } = pasteEdits(rows, columns, target, text);
    void edits.save(pasted);
    const note = t('grid.pasted', { count: pasted.length });
    props.onNote(left === 0 ? note : `${note} · ${t('grid.paste-over', { count: left })}`);
  }

  function save(change: CellChange, after: After): void {
    const position = editing;
    setEditing(undefined);
    if (position === undefined) return;
    const column = columns[position.column - 1];
    if (column === undefined) return;
    const { key, row: index, seen, since } = position;
    void edits.save([{ key, column: column.name, index, change, seen, since }]);
    const moves = { stay: '', down: 'ArrowDown', right: 'ArrowRight', left: 'ArrowLeft' } as const;
    const bounds = { rows: total, columns: columns.length + 1, pageRows: 1 };
    goTo(move(position, { key: moves[after], command: false }, bounds) ?? position);
  }

  function cancel(keepFocus: boolean): void {
    if (keepFocus) wantsFocus.current = true;
    setEditing(undefined);
  }

  const current: GridActions = {
    press(position, extend) {
      wantsFocus.current = true;
      setAnchor(extend ? (anchor ?? at) : undefined);
      setActive(position);
    },
    drag(position) {
      if (!ownsFocus.current || editing !== undefined) return;
      setAnchor(anchor ?? at);
      wantsFocus.current = true;
      setActive(position);
    },
    focus(position) {
      if (at.row !== position.row || at.column !== position.column) setActive(position);
    },
    edit: beginEdit,
    toggle(index, extend) {
      setActive({ row: index, column: 0 });
      setAnchor(undefined);
      toggle(index, extend);
    },
    peek: peekAt,
    save,
    cancel,
  };
  const actions = useStable(current);

  const failedKey = edits.failure && keyText(edits.failure.edit.key);
  const width = boxWidth + columnVirtual.getTotalSize();
  const indexes = shownIndexes(first, last, total, at.row);
  // Rows keep their positions within the layer while it moves as a whole.
  const base = rowWindow.shift === 0 ? 0 : first;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be virtual in both directions
    <div
      ref={scroller}
      role="grid"
      tabIndex={-1}
      aria-label={t('grid.label', { table: relation.name })}
      aria-rowcount={rows.total.exact ? total + 1 : -1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-readonly={!canWrite}
      aria-busy={rows.isFetching}
      className={classes.grid}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
      onPaste={onPaste}
      onFocus={() => {
        ownsFocus.current = true;
      }}
      onBlur={() => {
        ownsFocus.current = false;
      }}
    >
      <GridHead
        columns={columns}
        shownColumns={shownColumns}
        sort={view.sort}
        width={width}
        height={headHeight}
        boxWidth={boxWidth}
        active={at.row === -1 ? at.column : undefined}
        canWrite={canWrite}
        selection={selected.size === 0 ? 'off' : 'some'}
        onToggleAll={() => {
          setActive({ row: -1, column: 0 });
          toggleAll();
        }}
        onSort={(column) => {
          setActive({ row: -1, column });
          onSort(columns[column - 1]?.name ?? '');
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      <div role="rowgroup" className={classes.body} style={{ width, height: rowWindow.height }}>
        <div
          role="presentation"
          className={classes.layer}
          style={{ width, transform: `translateY(${rowWindow.shift + base * rowHeight}px)` }}
        >
          {indexes.map((index) => {
            const row = rows.row(index);
            const id = row?.key === undefined ? undefined : keyText(row.key);
            const isInRange =
              anchor !== undefined &&
              range !== undefined &&
              index >= range.firstRow &&
              index <= range.lastRow;
            return (
              <GridRowView
                key={index}
                index={index}
                top={(index - base) * rowHeight}
                width={width}
                height={rowHeight}
                boxWidth={boxWidth}
                row={row}
                columns={columns}
                shownColumns={shownColumns}
                active={at.row === index ? at.column : undefined}
                rangeFrom={isInRange ? range.firstColumn : undefined}
                rangeTo={isInRange ? range.lastColumn : undefined}
                editing={
                  editing?.row === index
                    ? editingOf(editing, index > first + 3 && index > last - 4)
                    : undefined
                }
                pending={row?.key === undefined ? undefined : edits.pending(row.key)}
                failed={id !== undefined && id === failedKey ? edits.failure?.edit.column : undefined}
                isSelected={id !== undefined && selected.has(id)}
                canWrite={canWrite}
                referring={referring}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Includes the focused item, which must not be removed. */
function withItem(items: number[], index: number, count: number): number[] {
  if (index < 0 || index >= count || items.includes(index)) return items;
  return [...items, index].sort((left, right) => left - right);
}

function shownIndexes(first: number, last: number, total: number, active: number): number[] {
  const indexes: number[] = [];
  const end = Math.min(total - 1, last + overscan);
  for (let index = Math.max(0, first - overscan); index <= end; index++) indexes.push(index);
  return withItem(indexes, active, total);
}

const editingOf = ({ column, typed, value }: Editing, above: boolean) => ({ column, typed, value, above });

/**
 * Returns functions that never change and call the latest ones, so that rows that receive them aren't rendered again.
 */
function useStable(current: GridActions): GridActions {
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
