import { Button } from '@mantine/core';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../lib/api.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Notice } from '../../ui/notice.tsx';
import { t } from '../text.ts';
import classes from './problem-box.module.css';

/** Returns PostgreSQL's SQLSTATE if the error has one, and otherwise the server's code. */
export function codeOf(error: ApiError): string {
  return typeof error.body.sqlstate === 'string' ? error.body.sqlstate : error.code;
}

export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return error.code === 'network' ? t('problem.network') : error.message;
}

/** Shows an error with its message, detail, hint, code and request ID. */
export function ProblemBox({
  error,
  title,
  children,
}: {
  error: unknown;
  title?: string;
  children?: ReactNode;
}) {
  const known = error instanceof ApiError ? error : undefined;
  // A missing permission or a deleted record isn't a failure, so the codes for finding the request in the log aren't
  // shown.
  const isExpected = ['forbidden', 'not_found', 'gone'].includes(known?.code ?? '');
  return (
    <div role="alert" className={classes.box}>
      <Notice tone={isExpected ? 'info' : 'danger'} {...(title === undefined ? {} : { title })}>
        <p className={classes.text}>{withCommand(messageOf(error))}</p>
        {known?.detail === undefined ? null : <p className={classes.text}>{known.detail}</p>}
        {known?.hint === undefined ? null : (
          <p className={classes.text}>{t('problem.hint', { hint: known.hint })}</p>
        )}
        {known === undefined || known.code === 'network' || isExpected ? null : (
          <p className={classes.codes}>
            <span>{t('problem.code')}</span> <code>{codeOf(known)}</code>
            {known.requestId === undefined ? null : (
              <>
                <span>· {t('problem.request-id')}</span>
                <Copyable value={known.requestId} what={t('problem.request-id')} />
              </>
            )}
          </p>
        )}
        {children}
        {isTemporary(error) ? <Retry error={error} /> : null}
      </Notice>
    </div>
  );
}

/** Marks a quoted command as code, which is wrapped only between words. */
const withCommand = (text: string): ReactNode =>
  text.split(/"(npm run [^"]+)"/).map((part, index) =>
    index % 2 === 1 ? (
      <code key={part} className={classes.command}>
        {part}
      </code>
    ) : (
      part
    ),
  );

/** Whether the same request can succeed later, because the server failed or didn't respond. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'network' || error.status >= 500);

/**
 * A button that repeats the query that failed with this error. The button isn't shown for failed actions, because the
 * operator can repeat an action with the action's own button.
 */
function Retry({ error }: { error: unknown }) {
  const client = useQueryClient();
  const failed = client
    .getQueryCache()
    .getAll()
    .find(({ state }) => state.error === error);
  const isRepeating = useIsFetching({ predicate: (query) => query === failed }) > 0;
  if (failed === undefined) return null;
  return (
    <div>
      <Button
        size="compact-sm"
        variant="default"
        loading={isRepeating}
        onClick={() => void client.refetchQueries({ predicate: (query) => query === failed })}
      >
        {t('problem.again')}
      </Button>
    </div>
  );
}
