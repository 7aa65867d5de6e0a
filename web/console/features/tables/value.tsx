import type { CellChange } from '../../api/types.ts';
import { t } from '../../text.ts';
import { oneLine } from './cells.ts';
import classes from './value.module.css';

/** Shows NULL, an empty string and a default so that they can be distinguished from text. */
export function Value({ change, isCut = false }: { change: CellChange; isCut?: boolean }) {
  if ('default' in change) return <span className={classes.default}>{t('value.default')}</span>;
  if (change.value === null) return <span className={classes.null}>NULL</span>;
  if (change.value === '') return <span className={classes.empty}>{t('value.empty')}</span>;
  return (
    <>
      {oneLine(change.value)}
      {isCut ? '…' : ''}
    </>
  );
}
