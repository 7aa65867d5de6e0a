/** Shows the row that a foreign key references, next to the referencing row. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { relationQuery, rowsQuery } from '../../../api/queries.ts';
import type { Cell, Filter, ForeignKey, Relation } from '../../../api/types.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { t } from '../rows-text.ts';
import { Value } from '../value.tsx';
import classes from './peek-panel.module.css';
import { RelatedRows } from './related-rows.tsx';

export default function PeekPanel({
  relation,
  foreignKey,
  cells,
  as,
  onClose,
}: {
  relation: Relation;
  foreignKey: ForeignKey;
  /** The cells of the referencing row. */
  cells: readonly Cell[];
  as: string | undefined;
  onClose: () => void;
}) {
  const { schema, table, references } = foreignKey;
  const values = foreignKey.columns.map(
    (name) => cells[relation.columns.findIndex((column) => column.name === name)] ?? null,
  );
  const filters = references.map(
    (column, index): Filter => ({ column, operator: 'eq', value: values[index] ?? '' }),
  );
  const name = { schema, table };
  const { data, error } = useQuery(rowsQuery(name, { filters, sort: [], as }, 0));
  const { data: target } = useQuery(relationQuery(name));
  const row = data?.rows[0];
  return (
    <SidePanel title={t('peek.title', { table, key: values.join(', ') })} onClose={onClose}>
      <div className={classes.panel}>
        {error !== null ? (
          <ProblemBox error={error} />
        ) : data === undefined ? (
          <SkeletonLines lines={6} />
        ) : row === undefined ? (
          <p>{t('peek.none')}</p>
        ) : (
          <dl className={classes.list}>
            {data.columns.map((column, index) => (
              <div key={column}>
                <dt>{column}</dt>
                <dd>
                  <Value
                    change={{ value: row[index] ?? null }}
                    isCut={data.cut.some(([, columnIndex]) => columnIndex === index)}
                  />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {data === undefined || row === undefined || target === undefined ? null : (
          <section aria-label={t('related.title')}>
            <RelatedRows
              relation={target}
              cellOf={(column) => row[data.columns.indexOf(column)] ?? null}
              as={as}
            />
          </section>
        )}
        <Link
          to="/tables/$schema/$table"
          params={{ schema, table }}
          search={{ filters, ...(as === undefined ? {} : { as }) }}
        >
          {t('peek.go', { table })}
        </Link>
      </div>
    </SidePanel>
  );
}
