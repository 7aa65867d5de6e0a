/**
 * Shows the rows that a statement returned. Only visible rows are rendered, so thousands of rows don't slow down the
 * page.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { RunColumn } from './api.ts';
import { isNumberType } from './chart-data.ts';
import classes from './result-table.module.css';
import { shownValue } from './shown-value.ts';
import { t } from './text.ts';

const rowHeight = 28;
const headHeight = 32;
/** The maximum number of characters that are shown in a cell. Tooltips and copies contain the whole text. */
const shownChars = 300;

export function ResultTable({
  label,
  columns,
  rows,
  cut,
  onOpen,
}: {
  label: string;
  columns: readonly RunColumn[];
  rows: readonly (readonly (string | null)[])[];
  cut: ReadonlySet<string>;
  /** Opens the complete value of a cell. */
  onOpen: (row: number, column: number) => void;
}) {
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: headHeight,
  });
  const isNumber = columns.map(({ type }) => isNumberType(type));
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? headHeight) - headHeight;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? headHeight) - headHeight);
  return (
    <section
      ref={scroller}
      className={classes.box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
    >
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ name, type }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: column names can occur twice
              <th key={index} scope="col" data-number={isNumber[index] || undefined}>
                {name} <span className={classes.type}>{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <Gap height={before} columns={columns.length} /> : null}
          {items.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {rows[index]?.map((cell, column) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position
                  key={column}
                  data-number={isNumber[column] || undefined}
                  title={cell === null || cell.length < 30 ? undefined : cell.slice(0, 2000)}
                >
                  <Cell
                    value={shownValue(cell, columns[column]?.type)}
                    isCut={cut.has(`${index}:${column}`)}
                    onOpen={() => onOpen(index, column)}
                  />
                </td>
              ))}
            </tr>
          ))}
          {after > 0 ? <Gap height={after} columns={columns.length} /> : null}
        </tbody>
      </table>
    </section>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={Math.max(1, columns)} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function Cell({ value, isCut, onOpen }: { value: string | null; isCut: boolean; onOpen: () => void }) {
  if (value === null) return <span className={classes.null}>NULL</span>;
  if (!isCut && value.length <= shownChars) return value;
  return (
    <span className={classes.long}>
      <span className={classes.beginning}>{value.slice(0, shownChars)}…</span>
      <button type="button" className={classes.cut} onClick={onOpen}>
        {t('sql.cell-whole')}
      </button>
    </span>
  );
}
