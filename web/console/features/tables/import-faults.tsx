/** What is wrong with an import's rows, line by line. */
import { Notice } from '../../../ui/notice.tsx';
import classes from './import-panel.module.css';
import { t } from './text.ts';

export interface ImportReport {
  readonly rows: number;
  readonly written: boolean;
  readonly stopped: boolean;
  readonly faults: readonly {
    /** Null: of no line in particular. */
    readonly line: number | null;
    readonly message: string;
    readonly detail?: string;
    readonly sqlstate?: string;
  }[];
}

export function Faults({ report: { faults, stopped } }: { report: ImportReport }) {
  return (
    <div role="alert">
      <Notice tone="danger" title={t('import.faults', { count: faults.length })}>
        {stopped ? <p>{t('import.stopped', { count: faults.length })}</p> : null}
        <ol className={classes.faults}>
          {faults.map(({ line, message, detail, sqlstate }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several
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
