/** Lists the columns of a table or the arguments of a function. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { relationQuery } from '../../api/queries.ts';
import type { Column } from '../../api/types.ts';
import { Card } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import type { ExposedFunction } from './api.ts';
import { t } from './text.ts';

export function Columns({ schema, table }: { schema: string; table: string }) {
  const { data, error } = useQuery(relationQuery({ schema, table }));
  return (
    <Card title={t('reference.columns')} flush>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <Names
          caption={t('reference.columns')}
          head={t('reference.column')}
          rows={data.columns.map((column) => ({ ...column, notes: notesOf(column, schema) }))}
        />
      )}
    </Card>
  );
}

const notesOf = (column: Column, schema: string): ReactNode => (
  <>
    {column.primary_key ? <Tag tone="info">{t('reference.key')}</Tag> : null}{' '}
    {!column.nullable && column.default === null && column.identity === null ? (
      <Tag>{t('reference.required')}</Tag>
    ) : null}{' '}
    {column.references === null ? null : (
      <span className={list.dim}>
        {t('reference.to', {
          table:
            column.references.schema === schema
              ? column.references.table
              : `${column.references.schema}.${column.references.table}`,
        })}
      </span>
    )}
  </>
);

export function Arguments({ of: { arguments: all, returns, comment } }: { of: ExposedFunction }) {
  return (
    <Card
      title={t('reference.arguments')}
      text={[comment, t('reference.returns', { type: returns })].filter((part) => part !== null).join(' ')}
      flush={all.length > 0}
    >
      {all.length === 0 ? (
        <p>{t('reference.no-arguments')}</p>
      ) : (
        <Names
          caption={t('reference.arguments')}
          head={t('reference.argument')}
          rows={all.map((each) => ({
            ...each,
            notes: each.required ? <Tag>{t('reference.required')}</Tag> : null,
          }))}
        />
      )}
    </Card>
  );
}

function Names({
  caption,
  head,
  rows,
}: {
  caption: string;
  head: string;
  rows: readonly { readonly name: string; readonly type: string; readonly notes: ReactNode }[];
}) {
  return (
    <table className={`${list.table} ${list.wraps}`}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">{t('reference.type')}</th>
          <th scope="col">{t('reference.notes')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, type, notes }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td className={`${list.dim} ${list.whole}`}>{type}</td>
            <td>{notes}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
