import type { CellChange, Relation } from '../../../api/types.ts';
import type { GridRow } from '../cells.ts';
import { t } from '../rows-text.ts';
import { Value } from '../value.tsx';
import classes from './edit-rows.module.css';

export const maxPreviewed = 5;

/** Shows the current and the new value of the first rows that a bulk change applies to. */
export function EditPreview({
  relation,
  column,
  rows,
  total,
  change,
}: {
  relation: Relation;
  column: string;
  rows: readonly GridRow[];
  /** The number of rows that will be changed, including rows that aren't shown. */
  total: number;
  /** Undefined until the operator has entered a valid value. */
  change: CellChange | undefined;
}) {
  const at = relation.columns.findIndex(({ name }) => name === column);
  const keyNames = relation.key.kind === 'columns' ? relation.key.columns.join(', ') : t('bulk.row');
  return (
    <>
      <table className={classes.preview} aria-label={t('bulk.preview')}>
        <thead>
          <tr>
            <th scope="col">{keyNames}</th>
            <th scope="col">{t('bulk.old')}</th>
            <th scope="col">{t('bulk.new')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key = {}, cells, cut }) => (
            <tr key={Object.values(key).join()}>
              <th scope="row">{Object.values(key).join(', ')}</th>
              <td>
                <Value change={{ value: cells[at] ?? null }} isCut={cut.includes(at)} />
              </td>
              <td>{change === undefined ? '–' : <Value change={change} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length ? (
        <p className={classes.more}>{t('bulk.more', { count: total - rows.length })}</p>
      ) : null}
    </>
  );
}
