/** Shows the facts of the diagram as a table, for screen readers and for small screens. */
import list from '../../../components/list.module.css';
import { Tag } from '../../../components/tag.tsx';
import type { DiagramTable, Relationship } from './api.ts';
import classes from './diagram.module.css';
import { type Graph, idOf } from './graph.ts';
import { isUnprotected, nameOf } from './svg.ts';
import { t } from './text.ts';

export function TableList({
  graph,
  onOpenTable,
  onOpenKey,
}: {
  graph: Graph;
  onOpenTable: (id: string) => void;
  onOpenKey: (relationship: Relationship) => void;
}) {
  const { tables, relationships } = graph;
  const byFrom = Map.groupBy(relationships, ({ from }) => idOf(from));
  const byTo = Map.groupBy(relationships, ({ to }) => idOf(to));
  return (
    <div className={list.scroll}>
      <table className={`${list.table} ${list.wraps} ${classes.facts}`} aria-label={t('diagram.title')}>
        <thead>
          <tr>
            <th scope="col">{t('diagram.table')}</th>
            <th scope="col">{t('diagram.primary-key')}</th>
            <th scope="col">{t('diagram.references')}</th>
            <th scope="col">{t('diagram.referenced-by')}</th>
            <th scope="col">{t('diagram.rls')}</th>
            <th scope="col">{t('diagram.rows')}</th>
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => {
            const id = idOf(table);
            const primary = table.columns.filter((column) => column.primary_key).map(({ name }) => name);
            return (
              <tr key={id}>
                <td>
                  <button type="button" className={classes.linkButton} onClick={() => onOpenTable(id)}>
                    {nameOf(table)}
                  </button>
                  {table.kind === 'table' ? null : <Tag>{t(`diagram.kind.${table.kind}`)}</Tag>}
                </td>
                <td>{primary.join(', ') || t('diagram.empty')}</td>
                <td>
                  <Keys keys={byFrom.get(id)} endOf={({ to }) => to} onOpen={onOpenKey} />
                </td>
                <td>
                  <Keys keys={byTo.get(id)} endOf={({ from }) => from} onOpen={onOpenKey} />
                </td>
                <td>
                  {table.kind === 'table' || table.kind === 'partitioned table' ? (
                    <Tag tone={isUnprotected(table) ? 'warning' : 'plain'}>
                      {table.rls ? t('diagram.rls-on', { count: table.policies }) : t('diagram.rls-off')}
                    </Tag>
                  ) : null}
                </td>
                <td>
                  {table.kind === 'view'
                    ? null
                    : table.estimated_rows === null
                      ? t('diagram.rows-unknown')
                      : t('diagram.rows-about', { count: table.estimated_rows })}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Keys({
  keys = [],
  endOf,
  onOpen,
}: {
  keys: readonly Relationship[] | undefined;
  /** The table at the other end. */
  endOf: (relationship: Relationship) => DiagramTable;
  onOpen: (relationship: Relationship) => void;
}) {
  if (keys.length === 0) return t('diagram.empty');
  return (
    <ul className={classes.keys}>
      {keys.map((relationship) => (
        <li key={`${idOf(relationship.from)}${relationship.key.name}`}>
          <button type="button" className={classes.linkButton} onClick={() => onOpen(relationship)}>
            {`${nameOf(endOf(relationship))} (${relationship.key.columns.join(', ')})`}
          </button>
        </li>
      ))}
    </ul>
  );
}
