/**
 * A panel for one row. The panel shows long cells completely, saves several cells together and can insert a new row.
 */
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../../lib/api.ts';
import { rowQuery } from '../../../api/queries.ts';
import type { RowKey } from '../../../api/types.ts';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { BackToList } from '../../../components/missing-note.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { valueIn } from '../cells.ts';
import { t } from '../rows-text.ts';
import classes from './related-rows.module.css';
import { RelatedRows } from './related-rows.tsx';
import { RowForm, type RowPanelProps } from './row-form.tsx';

export default function RowPanel(props: RowPanelProps) {
  const { relation, rowKey, isNew, onClose } = props;
  const title =
    isNew || rowKey === undefined
      ? t('row.new', { table: relation.name })
      : t('row.title', { table: relation.name, key: Object.values(rowKey).join(', ') });
  return (
    <SidePanel title={title} onClose={onClose} wide>
      {rowKey === undefined ? (
        <RowForm {...props} isNew values={undefined} />
      ) : (
        <StoredRow {...props} rowKey={rowKey} />
      )}
    </SidePanel>
  );
}

function StoredRow(props: RowPanelProps & { rowKey: RowKey }) {
  const { relation, rowKey, as } = props;
  const name = { schema: relation.schema, table: relation.name };
  const { data, error } = useQuery(rowQuery(name, rowKey, as));
  if (data !== undefined)
    return (
      <>
        <RowForm {...props} values={data} />
        {props.isNew ? null : (
          <section className={classes.section} aria-label={t('related.title')}>
            <h3>{t('related.title')}</h3>
            <RelatedRows relation={relation} cellOf={(column) => valueIn(data, column)} as={as} />
          </section>
        )}
      </>
    );
  if (error === null) return <SkeletonLines lines={8} />;
  return (
    <ProblemBox error={error}>
      {error instanceof ApiError && error.code === 'gone' ? <BackToList onBack={props.onClose} /> : null}
    </ProblemBox>
  );
}
