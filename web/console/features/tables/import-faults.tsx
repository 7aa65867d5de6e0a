/** The errors in the rows of an import, by line. */
import { Notice } from '../../../ui/notice.tsx';
import type { Payload } from '../../api/route.ts';
import classes from './import-panel.module.css';
import { t } from './text.ts';

type ImportReport = Payload<'POST /tables/:schema/:table/import'>;

export function Faults({ report: { faults, stopped } }: { report: ImportReport }) {
  return (
    <div role="alert">
      <Notice tone="danger" title={t('import.faults', { count: faults.length })}>
        {stopped ? <p>{t('import.stopped', { count: faults.length })}</p> : null}
        <ol className={classes.faults}>
          {faults.map(({ line, message, detail, sqlstate }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line can have several errors
            <li key={index}>
              <strong>{line === null ? t('import.no-line') : t('import.line', { line })}</strong> {message}
              {detail === undefined ? null : ` ${detail}`}
              {sqlstate === undefined ? null : <code> {sqlstate}</code>}
            </li>
          ))}
        </ol>
      </Notice>
    </div>
  );
}
