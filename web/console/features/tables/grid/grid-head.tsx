/** The grid's header: column names, types and sort order, and the checkbox that selects rows. */
import { IconArrowDown, IconArrowUp, IconKey } from '@tabler/icons-react';
import type { VirtualItem } from '@tanstack/react-virtual';
import type { Column, Sort } from '../../../api/types.ts';
import { shortType } from '../cells.ts';
import { t } from '../text.ts';
import classes from './data-grid.module.css';
import { Tick } from './grid-row.tsx';

export function GridHead({
  columns,
  shownColumns,
  sort,
  width,
  height,
  boxWidth,
  active,
  canWrite,
  selection,
  onToggleAll,
  onSort,
}: {
  columns: readonly Column[];
  shownColumns: readonly VirtualItem[];
  sort: readonly Sort[];
  width: number;
  height: number;
  boxWidth: number;
  /** The column of the header that has focus, if any. Column 0 is the checkbox. */
  active: number | undefined;
  canWrite: boolean;
  selection: 'off' | 'some' | 'on';
  onToggleAll: () => void;
  onSort: (column: number) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
    <div role="rowgroup" className={classes.head} style={{ width, height }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the cells receive the focus */}
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        {/* biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keyboard events */}
        <div
          role="columnheader"
          aria-colindex={1}
          data-cell="-1:0"
          tabIndex={active === 0 ? 0 : -1}
          className={classes.box}
          onClick={onToggleAll}
        >
          <span className="visually-hidden">{t('grid.select-all')}</span>
          {canWrite ? <Tick state={selection} /> : null}
        </div>
        {shownColumns.map(({ index, start, size }) => {
          const column = columns[index];
          if (column === undefined) return null;
          const sorted = sort.find((each) => each.column === column.name);
          return (
            // biome-ignore lint/a11y/useSemanticElements: a table element can't be virtualized in both directions
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keyboard events
            <div
              key={column.name}
              role="columnheader"
              aria-colindex={index + 2}
              aria-sort={sorted === undefined ? 'none' : sorted.ascending ? 'ascending' : 'descending'}
              data-cell={`-1:${index + 1}`}
              tabIndex={active === index + 1 ? 0 : -1}
              className={classes.headCell}
              style={{ left: boxWidth + start, width: size }}
              title={column.comment ?? column.type}
              onClick={() => onSort(index + 1)}
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
  );
}
