/**
 * Expands the rows that a row references and the rows that reference it, in place and to any depth. Each relation is
 * loaded when it is opened.
 */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { relationQuery, type TableName } from '../../../api/queries.ts';
import type { Cell, Filter, ForeignKey, Relation, RowPage } from '../../../api/types.ts';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { t } from '../rows-text.ts';
import { Value } from '../value.tsx';
import { referringQuery, relatedCountQuery, relatedRowsQuery, shownRows } from './related-api.ts';
import classes from './related-rows.module.css';

interface Row {
  readonly relation: Pick<Relation, 'schema' | 'name' | 'foreign_keys'>;
  /** Returns the value of a column. */
  readonly cellOf: (column: string) => Cell;
  readonly as: string | undefined;
}

/** The relations of a row. */
export function RelatedRows({ relation, cellOf, as }: Row) {
  const name = { schema: relation.schema, table: relation.name };
  const { data: referring, error } = useQuery(referringQuery(name));
  const references = relation.foreign_keys.flatMap((key) => {
    const filters = filtersOf(key.references, key.columns, cellOf);
    return filters === undefined ? [] : [{ key, filters }];
  });
  const referrers = (referring ?? []).flatMap((key) => {
    const filters = filtersOf(key.columns, key.references, cellOf);
    return filters === undefined ? [] : [{ key, filters }];
  });
  if (error !== null) return <ProblemBox error={error} />;
  if (referring === undefined) return <SkeletonLines lines={2} />;
  if (references.length + referrers.length === 0) return <p className={classes.dim}>{t('related.none')}</p>;
  return (
    <ul className={classes.relations}>
      {references.map(({ key, filters }) => (
        <li key={`to ${key.name}`}>
          <Opened
            title={t('related.references', {
              columns: key.columns.join(', '),
              table: titleOf(key),
              key: filters.map(({ value }) => value).join(', '),
            })}
          >
            <Rows name={key} filters={filters} as={as} />
          </Opened>
        </li>
      ))}
      {referrers.map(({ key, filters }) => (
        <li key={`from ${key.schema}.${key.table} ${key.name}`}>
          <Opened title={t('related.referring', { columns: key.columns.join(', '), table: titleOf(key) })}>
            <Rows name={key} filters={filters} as={as} isCounted />
          </Opened>
        </li>
      ))}
    </ul>
  );
}

const titleOf = ({ schema, table }: TableName): string =>
  schema === 'public' ? table : `${schema}.${table}`;

/**
 * Returns filters that find the related rows by their columns. Returns undefined if a value is NULL, because the row then
 * has no related rows.
 */
function filtersOf(
  columns: readonly string[],
  own: readonly string[],
  cellOf: Row['cellOf'],
): readonly Filter[] | undefined {
  const values = own.map(cellOf);
  if (values.includes(null)) return undefined;
  return columns.map((column, index) => ({ column, operator: 'eq', value: values[index] ?? '' }));
}

/** A part that is rendered, and therefore loaded, when it is first opened. */
function Opened({ title, children }: { title: string; children: ReactNode }) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details className={classes.relation} onToggle={() => setOpened(true)}>
      <summary>{title}</summary>
      {wasOpened ? <div className={classes.content}>{children}</div> : null}
    </details>
  );
}

function Rows({
  name: { schema, table },
  filters,
  as,
  isCounted = false,
}: {
  name: Pick<ForeignKey, 'schema' | 'table'>;
  filters: readonly Filter[];
  as: string | undefined;
  /** Whether there can be many rows. */
  isCounted?: boolean;
}) {
  const name = { schema, table };
  const { data: relation, error: relationError } = useQuery(relationQuery(name));
  const { data, error } = useQuery(relatedRowsQuery(name, filters, as));
  const counted = useQuery({
    ...relatedCountQuery(name, filters, as),
    enabled: isCounted && data?.more === true,
  });
  const problem = relationError ?? error;
  if (problem !== null) return <ProblemBox error={problem} />;
  if (data === undefined || relation === undefined) return <SkeletonLines lines={3} />;
  const count = data.more ? counted.data : data.rows.length;
  const link = (
    <Link
      to="/tables/$schema/$table"
      params={name}
      search={{ filters: [...filters], ...(as === undefined ? {} : { as }) }}
    >
      {t('related.open', { table: titleOf(name) })}
    </Link>
  );
  if (data.rows.length === 0)
    return <p className={classes.dim}>{t(as === undefined ? 'related.empty' : 'related.empty-as')}</p>;
  return (
    <>
      {isCounted ? (
        <p role="status" className={classes.dim}>
          {count === undefined
            ? t('related.more-than', { count: shownRows })
            : t(data.more ? 'related.count-some' : 'related.count', { count, shown: data.rows.length })}
        </p>
      ) : null}
      {data.rows.map((row, index) =>
        isCounted ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are always read together
          <Opened key={index} title={rowTitle(data, row)}>
            <RowFields page={data} row={index} relation={relation} as={as} />
          </Opened>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a key references one row
          <RowFields key={index} page={data} row={index} relation={relation} as={as} />
        ),
      )}
      {link}
    </>
  );
}

const titleCells = 3;
const titleChars = 40;

/** Returns the first values of a row, which usually contain its key and its name. */
const rowTitle = (page: RowPage, row: readonly Cell[]): string =>
  page.columns
    .slice(0, titleCells)
    .map((column, index) => `${column}: ${(row[index] ?? 'NULL').slice(0, titleChars)}`)
    .join(' · ');

function RowFields({
  page,
  row,
  relation,
  as,
}: {
  page: RowPage;
  row: number;
  relation: Relation;
  as: string | undefined;
}) {
  const cells = page.rows[row] ?? [];
  return (
    <div className={classes.row}>
      <dl className={classes.fields}>
        {page.columns.map((column, index) => (
          <div key={column}>
            <dt>{column}</dt>
            <dd>
              <Value
                change={{ value: cells[index] ?? null }}
                isCut={page.cut.some(([cutRow, cutColumn]) => cutRow === row && cutColumn === index)}
              />
            </dd>
          </div>
        ))}
      </dl>
      <RelatedRows
        relation={relation}
        cellOf={(column) => cells[page.columns.indexOf(column)] ?? null}
        as={as}
      />
    </div>
  );
}
