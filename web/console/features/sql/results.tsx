/** The result of a run: a section per statement, and errors with their position. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Tag } from '../../components/tag.tsx';
import type { PostgresMessage } from './api.ts';
import { type CellContext, CellPanel } from './cell-panel.tsx';
import type { RunOutcome, StatementResult } from './outcome.ts';
import { ResultTable } from './result-table.tsx';
import classes from './results.module.css';
import { t } from './text.ts';

export function Results({
  text,
  run,
  request,
  isRunning,
  onShow,
}: {
  /** The editor's text when the run started. */
  text: string;
  run: RunOutcome;
  /** The persona and time limit of the run. */
  request: CellContext | undefined;
  isRunning: boolean;
  onShow: (at: number) => void;
}) {
  return (
    <div className={classes.list}>
      <p className={classes.state} role="status">
        {isRunning ? t('sql.running') : <Outcome run={run} />}
      </p>
      {run.statements.map((result, index) => (
        <Statement
          key={`${run.id}:${result.start}`}
          text={text}
          result={result}
          request={request}
          title={t('sql.result', { number: index + 1 })}
          showsTitle={run.statements.length > 1}
          onShow={onShow}
        />
      ))}
      {run.error === undefined ? null : <Fault text={text} error={run.error} onShow={onShow} />}
    </div>
  );
}

function Outcome({ run: { outcome, ms } }: { run: RunOutcome }) {
  if (outcome === undefined) return null;
  const words = {
    committed: 'sql.committed',
    'rolled back': 'sql.rolled-back',
    ended: 'sql.ended',
    'left open': 'sql.left-open',
  } as const;
  return (
    <>
      <Tag tone={outcome === 'committed' ? 'success' : outcome === 'left open' ? 'warning' : 'plain'}>
        {t(words[outcome])}
      </Tag>
      <span>{t('sql.ms', { ms })}</span>
    </>
  );
}

const asTsv = (rows: StatementResult['rows']): string =>
  rows.map((row) => row.map((cell) => (cell ?? '').replaceAll(/[\t\n\r]+/g, ' ')).join('\t')).join('\n');

function Statement({
  text,
  result,
  request,
  title,
  showsTitle,
  onShow,
}: {
  text: string;
  result: StatementResult;
  request: CellContext | undefined;
  title: string;
  showsTitle: boolean;
  onShow: (at: number) => void;
}) {
  const { columns, rows, cut, more, tag, ms, notices, error } = result;
  const [open, setOpen] = useState<readonly [number, number]>();
  return (
    <section className={classes.statement} aria-label={title}>
      {showsTitle ? (
        <h2 className={classes.title}>
          <button type="button" className={classes.source} onClick={() => onShow(result.start)}>
            {text.slice(result.start, result.end).replaceAll(/\s+/g, ' ').slice(0, 120)}
          </button>
        </h2>
      ) : null}
      {notices.map((notice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notices are only added at the end
        <NoticeLine key={index} notice={notice} />
      ))}
      {columns.length > 0 && rows.length > 0 ? (
        <ResultTable
          label={t('sql.rows-of', { title })}
          columns={columns}
          rows={rows}
          cut={cut}
          onOpen={(row, column) => setOpen([row, column])}
        />
      ) : null}
      {open === undefined ? null : (
        <CellPanel
          name={columns[open[1]]?.name ?? ''}
          shown={rows[open[0]]?.[open[1]] ?? ''}
          again={
            cut.has(open.join(':')) && request !== undefined
              ? { ...request, text: text.slice(result.start, result.end), row: open[0], column: open[1] }
              : undefined
          }
          onClose={() => setOpen(undefined)}
        />
      )}
      {error === undefined ? null : <Fault text={text} error={error} onShow={onShow} />}
      {ms === undefined ? null : (
        <p className={classes.foot}>
          <span>
            {more
              ? t('sql.more', { count: rows.length })
              : columns.length === 0
                ? tag
                : rows.length === 0
                  ? t('sql.no-rows')
                  : t('sql.rows', { count: rows.length })}
          </span>
          <span>{t('sql.ms', { ms })}</span>
          {rows.length > 0 ? <CopyButton value={asTsv(rows)} what={t('sql.copy-rows')} /> : null}
        </p>
      )}
    </section>
  );
}

function NoticeLine({ notice }: { notice: PostgresMessage }) {
  return (
    <p className={classes.notice}>
      <Tag tone={notice.severity === 'WARNING' ? 'warning' : 'info'}>{notice.severity}</Tag> {notice.message}
      {notice.hint === undefined ? null : ` ${t('sql.hint', { hint: notice.hint })}`}
    </p>
  );
}

function Fault({
  text,
  error,
  onShow,
}: {
  text: string;
  error: NonNullable<StatementResult['error']>;
  onShow: (at: number) => void;
}) {
  const { message, detail, hint, where, sqlstate, at } = error;
  return (
    <div role="alert">
      <Notice tone="danger">
        <p className={classes.message}>{message}</p>
        {detail === undefined ? null : <p>{detail}</p>}
        {hint === undefined ? null : <p>{t('sql.hint', { hint })}</p>}
        {where === undefined ? null : <pre className={classes.where}>{where}</pre>}
        <p className={classes.foot}>
          <code>{sqlstate}</code>
          {at === null ? null : (
            <Button size="compact-xs" variant="default" onClick={() => onShow(at)}>
              {t('sql.at', lineAndColumn(text, at))}
            </Button>
          )}
        </p>
      </Notice>
    </div>
  );
}

function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
