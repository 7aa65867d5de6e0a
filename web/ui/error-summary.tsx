import { useEffect, useRef } from 'react';
import { Copyable } from './copyable.tsx';
import classes from './error-summary.module.css';
import { Notice } from './notice.tsx';
import { t } from './text.ts';

export interface Problem {
  /** The message for the user, from a catalog. */
  readonly text: string;
  /** The ID of the field to which the problem belongs. The summary links to this field. */
  readonly fieldId?: string | undefined;
  /** The error code from the service, which users can copy. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
  /** Whether the user can correct the problem. If so, the error code isn't needed. */
  readonly isMistake?: boolean;
  /** The time at which the server accepts the next attempt, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
}

/**
 * Shows the errors at the top of a form, except for a single field's error, which the field itself shows. The live
 * region is always part of the page, because screen readers announce only content that is added to an existing region.
 * The first field with an error receives focus. If no field has an error, the summary receives focus.
 */
export function ErrorSummary({ problems }: { problems: readonly Problem[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.length === 0) return;
    const field = problems.find((problem) => problem.fieldId !== undefined)?.fieldId;
    const target = field === undefined ? null : document.getElementById(field);
    const focusTarget = target ?? box.current;
    focusTarget?.focus();
    // The text is selected, so typing replaces the invalid input.
    if (target instanceof HTMLInputElement) target.select();
    // The summary may have moved the focused field out of view, and browsers don't scroll to a field that already has
    // focus.
    focusTarget?.scrollIntoView({ block: 'nearest' });
  }, [problems]);
  const isEmpty = problems.length === 0 || (problems.length === 1 && problems[0]?.fieldId !== undefined);
  return (
    <div role="alert" ref={box} tabIndex={-1} className={isEmpty ? classes.empty : undefined}>
      {isEmpty ? null : (
        <Notice tone="danger" {...(problems.length > 1 ? { title: t('ui.error-heading') } : {})}>
          {problems.map((problem) => (
            <ProblemLine key={`${problem.fieldId ?? ''}${problem.text}`} problem={problem} />
          ))}
        </Notice>
      )}
    </div>
  );
}

function ProblemLine({ problem }: { problem: Problem }) {
  const { text, fieldId, code, requestId, isMistake = false } = problem;
  return (
    <div>
      <p>{fieldId === undefined ? text : <a href={`#${fieldId}`}>{text}</a>}</p>
      {isMistake || (code === undefined && requestId === undefined) ? null : (
        <details data-technical="" className={classes.details}>
          <summary>{t('ui.error-code')}</summary>
          {code === undefined ? null : <Copyable value={code} what={t('ui.error-code')} />}
          {requestId === undefined ? null : (
            <>
              <p>{t('ui.request-id')}</p>
              <Copyable value={requestId} what={t('ui.request-id')} />
            </>
          )}
        </details>
      )}
    </div>
  );
}
