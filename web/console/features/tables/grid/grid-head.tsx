/** The grid's header, with column names, types, the sort order and the checkbox that selects rows. */
import { IconArrowDown, IconArrowUp, IconKey } from '@tabler/icons-react';
import type { PointerEvent } from 'react';
import type { Sort } from '../../../api/types.ts';
import { shortType } from '../cells.ts';
import { t } from '../text.ts';
import classes from './data-grid.module.css';
import { Tick } from './grid-row.tsx';
import { boxWidth } from './layout.ts';
import type { ColumnWindow, PlacedColumn } from './use-column-window.ts';
import { useHeaderDrag } from './use-header-drag.ts';

export interface GridHeadProps {
  readonly columns: ColumnWindow;
  readonly sort: readonly Sort[];
  readonly height: number;
  /** The column of the header that has focus, if any. Column 0 is the checkbox. */
  readonly active: number | undefined;
  readonly canWrite: boolean;
  readonly selection: 'off' | 'some' | 'on';
  readonly onToggleAll: () => void;
  readonly onSort: (column: number) => void;
  readonly onResize: (column: number, width: number) => void;
  readonly onReorder: (column: number, target: number) => void;
}

export function GridHead(props: GridHeadProps) {
  const { columns, height, active, canWrite, selection, onToggleAll } = props;
  const { pinned, scrolling, pinnedWidth, width } = columns;
  const drag = useHeaderDrag(props);
  const head = (place: PlacedColumn) => (
    <HeadCell
      key={place.column.name}
      {...place}
      sorted={props.sort.find(({ column }) => column === place.column.name)}
      ariaIndex={place.index + (canWrite ? 2 : 1)}
      isActive={active === place.index + 1}
      isTarget={drag.target === place.index + 1}
      drag={drag}
      onSort={props.onSort}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div role="rowgroup" className={classes.head} style={{ width, height }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the cells receive focus */}
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        <div role="presentation" className={classes.pins} style={{ width: pinnedWidth }}>
          {canWrite ? (
            <HeadBox isActive={active === 0} selection={selection} onToggleAll={onToggleAll} />
          ) : null}
          {pinned.map(head)}
        </div>
        {scrolling.map(head)}
      </div>
    </div>
  );
}

/** The checkbox that selects rows. */
function HeadBox({
  isActive,
  selection,
  onToggleAll,
}: Pick<GridHeadProps, 'selection' | 'onToggleAll'> & { isActive: boolean }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself handles keyboard events
    <div
      role="columnheader"
      aria-colindex={1}
      data-cell="-1:0"
      tabIndex={isActive ? 0 : -1}
      className={classes.box}
      style={{ width: boxWidth }}
      onClick={onToggleAll}
    >
      <span className="visually-hidden">{t('grid.select-all')}</span>
      <Tick state={selection} />
    </div>
  );
}

function HeadCell({
  column,
  index,
  left,
  width,
  ariaIndex,
  sorted,
  isActive,
  isTarget,
  drag,
  onSort,
}: PlacedColumn & {
  ariaIndex: number;
  sorted: Sort | undefined;
  isActive: boolean;
  isTarget: boolean;
  drag: ReturnType<typeof useHeaderDrag>;
  onSort: (column: number) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keyboard events
    <div
      role="columnheader"
      aria-colindex={ariaIndex}
      aria-sort={sorted === undefined ? 'none' : sorted.ascending ? 'ascending' : 'descending'}
      data-cell={`-1:${index + 1}`}
      data-target={isTarget || undefined}
      tabIndex={isActive ? 0 : -1}
      className={classes.headCell}
      style={{ left, width }}
      title={column.comment ?? column.type}
      onPointerDown={(event: PointerEvent<HTMLElement>) => drag.startMove(event, index + 1)}
      onClick={() => {
        if (!drag.wasDragged()) onSort(index + 1);
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
      <span
        className={classes.resize}
        data-resize={column.name}
        aria-hidden
        onPointerDown={(event) => drag.startResize(event, index + 1, width)}
      />
    </div>
  );
}
