/** A table in the diagram. */
import { IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { DiagramColumn, DiagramTable } from './api.ts';
import classes from './diagram.module.css';
import { foreignColumns, labelOf } from './graph.ts';
import { isUnprotected } from './svg.ts';
import { detailOf, t } from './text.ts';

export interface TableNodeProps {
  readonly id: string;
  readonly table: DiagramTable;
  readonly columns: readonly DiagramColumn[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The accessible name, with the related tables. */
  readonly label: string;
  /** Whether Tab moves the focus to this table. */
  readonly isCurrent: boolean;
  /** Whether this is the table whose neighborhood is shown. */
  readonly isCenter: boolean;
  /** Whether the zoom is large enough to read the columns. */
  readonly isDetailed: boolean;
  /** Whether the zoom is large enough for the button that opens the details. */
  readonly hasButton: boolean;
  readonly onFocus: (id: string) => void;
  readonly onOpen: (id: string) => void;
}

export const TableNode = memo(function TableNode(props: TableNodeProps) {
  const { id, table, columns, x, y, width, height, isCurrent, isDetailed } = props;
  const foreign = foreignColumns(table);
  const tabIndex = isCurrent ? 0 : -1;
  return (
    <div
      className={classes.node}
      data-table={id}
      data-center={props.isCenter || undefined}
      data-plain={!isDetailed || undefined}
      style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
    >
      <div className={classes.nodeHead}>
        <Link
          to="/tables/$schema/$table"
          params={{ schema: table.schema, table: table.name }}
          search={{}}
          // Otherwise, the rows of each table that the pointer crosses would be loaded.
          preload={false}
          className={classes.nodeName}
          tabIndex={tabIndex}
          draggable={false}
          aria-label={props.label}
          title={table.comment ?? labelOf(table)}
          onFocus={() => props.onFocus(id)}
        >
          {table.schema === 'public' ? null : <span className={classes.nodeSchema}>{table.schema}.</span>}
          {table.name}
        </Link>
        {isDetailed ? (
          <span className={classes.nodeDetail} data-warns={isUnprotected(table) || undefined}>
            {detailOf(table)}
          </span>
        ) : null}
        {props.hasButton ? (
          <button
            type="button"
            className={classes.nodeMore}
            tabIndex={tabIndex}
            aria-label={t('diagram.details', { table: labelOf(table) })}
            onFocus={() => props.onFocus(id)}
            onClick={() => props.onOpen(id)}
          >
            <IconInfoCircle size={16} aria-hidden />
          </button>
        ) : null}
      </div>
      {isDetailed ? (
        <ul className={classes.nodeColumns} aria-hidden>
          {columns.map(({ name, type, nullable, primary_key }) => (
            <li key={name}>
              <span className={classes.columnKey} data-primary={primary_key || undefined}>
                {primary_key ? 'PK' : foreign.has(name) ? 'FK' : ''}
              </span>
              <span className={classes.columnName}>{name}</span>
              <span className={classes.columnType}>
                {type}
                {nullable ? '?' : ''}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
});
