/** Shows the result of an import, with the number of rows, groups of equal errors and the skipped rows. */
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Notice } from '../../../../ui/notice.tsx';
import { t } from '../text.ts';
import classes from './import-panel.module.css';
import { skippedCsv } from './skipped-csv.ts';
import type { Report } from './use-import-run.ts';

/** Whether the import can add rows. Any invalid rows must have been skipped. */
export const isUsable = ({ rows, invalid, skipped }: Report): boolean =>
  rows > invalid && (invalid === 0 || skipped.length > 0);

export function ImportResult({ report }: { report: Report }) {
  const { rows, invalid, written } = report;
  const valid = rows - invalid;
  return (
    <>
      {isUsable(report) ? (
        <div role="status">
          <Notice tone="success">
            <p>{t(written ? 'import.done' : 'import.fine', { rows: valid })}</p>
          </Notice>
        </div>
      ) : null}
      {invalid === 0 ? null : <Faults report={report} isSkipped={isUsable(report)} />}
    </>
  );
}

function Faults({ report, isSkipped }: { report: Report; isSkipped: boolean }) {
  const { invalid, groups, stopped, skipped, written } = report;
  const title = isSkipped
    ? t(written ? 'import.skipped' : 'import.would-skip', { count: invalid })
    : t('import.faults', { count: invalid });
  return (
    <div role="alert">
      <Notice tone={isSkipped ? 'warning' : 'danger'} title={title}>
        {stopped ? <p>{t('import.stopped', { count: invalid })}</p> : null}
        <ul className={classes.faults}>
          {groups.map(({ message, column, sqlstate, count, examples }) => (
            <li key={JSON.stringify([message, column, sqlstate])}>
              <p>
                <strong>{t('import.group', { count })}</strong>{' '}
                {column === undefined || message.includes(`"${column}"`) ? null : (
                  <>
                    <code>{column}</code>:{' '}
                  </>
                )}
                {message}
                {sqlstate === undefined ? null : <code className={classes.code}> {sqlstate}</code>}
              </p>
              <ul className={classes.examples}>
                {examples.map(({ line, detail }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a line can have several errors
                  <li key={index}>
                    {line === null ? t('import.no-line') : t('import.line', { line })}
                    {detail === undefined ? null : (
                      <>
                        {': '}
                        <code>{detail.slice(0, 200)}</code>
                      </>
                    )}
                  </li>
                ))}
                {count > examples.length ? (
                  <li>{t('import.more', { count: count - examples.length })}</li>
                ) : null}
              </ul>
            </li>
          ))}
        </ul>
        {skipped.length === 0 ? null : (
          <div>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              onClick={() => download(skippedCsv(skipped), 'skipped-rows.csv')}
            >
              {t('import.download')}
            </Button>
          </div>
        )}
      </Notice>
    </div>
  );
}

function download(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
