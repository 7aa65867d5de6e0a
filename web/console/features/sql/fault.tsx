/** Shows an error from PostgreSQL with its position in the editor, and PostgreSQL's notices. */
import { Button } from '@mantine/core';
import { Notice } from '../../../ui/notice.tsx';
import { Tag } from '../../components/tag.tsx';
import type { PostgresMessage } from './api.ts';
import type { StatementResult } from './outcome.ts';
import classes from './results.module.css';
import { t } from './text.ts';

export function NoticeLine({ notice }: { notice: PostgresMessage }) {
  return (
    <p className={classes.notice}>
      <Tag tone={notice.severity === 'WARNING' ? 'warning' : 'info'}>{notice.severity}</Tag> {notice.message}
      {notice.hint === undefined ? null : ` ${t('sql.hint', { hint: notice.hint })}`}
    </p>
  );
}

export function Fault({
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
