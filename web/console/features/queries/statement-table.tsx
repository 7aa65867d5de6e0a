import { IconArrowDown } from '@tabler/icons-react';
import list from '../../components/list.module.css';
import type { StatementOrder, StatementRow } from './api.ts';
import { countText, durationText, shareText } from './parts.tsx';
import classes from './queries.module.css';
import { t } from './text.ts';

interface Column {
  readonly order: StatementOrder;
  readonly label: 'queries.total' | 'queries.calls' | 'queries.mean' | 'queries.max' | 'queries.rows';
  readonly isWide: boolean;
  readonly textOf: (row: StatementRow) => string;
}

const columns: readonly Column[] = [
  { order: 'total', label: 'queries.total', isWide: false, textOf: ({ totalMs }) => durationText(totalMs) },
  { order: 'mean', label: 'queries.mean', isWide: false, textOf: ({ meanMs }) => durationText(meanMs) },
  { order: 'max', label: 'queries.max', isWide: true, textOf: ({ maxMs }) => durationText(maxMs) },
  { order: 'calls', label: 'queries.calls', isWide: true, textOf: ({ calls }) => countText(calls) },
  { order: 'rows', label: 'queries.rows', isWide: true, textOf: ({ rows }) => countText(rows) },
];

export function StatementTable({
  statements,
  order,
  openId,
  openRole,
  onOrder,
  onOpen,
}: {
  statements: readonly StatementRow[];
  order: StatementOrder;
  openId: string | undefined;
  openRole: string | undefined;
  onOrder: (order: StatementOrder) => void;
  onOpen: (statement: StatementRow) => void;
}) {
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('queries.statements')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('queries.statement')}</th>
          {columns.map((column) => (
            <th
              key={column.order}
              scope="col"
              className={`${classes.numeric} ${column.isWide ? list.wide : ''}`}
              aria-sort={column.order === order ? 'descending' : undefined}
            >
              <button type="button" className={classes.sort} onClick={() => onOrder(column.order)}>
                {column.order === order ? <IconArrowDown size={12} aria-hidden /> : null}
                {t(column.label)}
              </button>
            </th>
          ))}
          <th scope="col" className={`${classes.numeric} ${list.wide}`}>
            {t('queries.cache')}
          </th>
        </tr>
      </thead>
      <tbody>
        {statements.map((statement) => (
          <tr
            key={`${statement.id} ${statement.role}`}
            data-open={(statement.id === openId && statement.role === openRole) || undefined}
          >
            <td>
              <button
                type="button"
                className={classes.what}
                title={statement.text}
                onClick={() => onOpen(statement)}
              >
                <code>{statement.outline}</code>
              </button>
              <span className={classes.who}>{statement.role}</span>
            </td>
            {columns.map((column) => (
              <td
                key={column.order}
                className={`${classes.numeric} ${column.isWide ? `${list.wide} ${list.dim}` : ''}`}
              >
                {column.textOf(statement)}
                {column.order === 'total' ? <Share share={statement.share} /> : null}
              </td>
            ))}
            <td className={`${classes.numeric} ${list.wide} ${list.dim}`}>
              {statement.cacheHits === null ? '–' : shareText(statement.cacheHits)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Share({ share }: Pick<StatementRow, 'share'>) {
  return (
    <span className={classes.share} title={t('queries.share-of', { share: shareText(share) })} aria-hidden>
      <span style={{ width: `${Math.max(1, share * 100)}%` }} />
    </span>
  );
}
