import { useEffect, useRef } from 'react';
import { Copyable } from './copyable.tsx';
import classes from './error-summary.module.css';
import { Notice } from './notice.tsx';
import { t } from './text.ts';

export interface Problem {
  /** The text for users, from a catalog. */
  readonly text: string;
  /** A second sentence with the next step. */
  readonly advice?: string | undefined;
  /** The field that the problem belongs to. The summary links to it. */
  readonly fieldId?: string | undefined;
  /** The service's code, which users can copy. */
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * The errors at the top of a form. The region is always in the page, so that screen readers announce new content. A
 * summary with errors takes the focus, unless one of the form's fields has it.
 */
export function ErrorSummary({ problems }: { problems: readonly Problem[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.length === 0) return;
    const field = problems.find((problem) => problem.fieldId !== undefined)?.fieldId;
    const target = field === undefined ? null : document.getElementById(field);
    const place = target ?? box.current;
    place?.focus();
    // A field that already has the focus isn't scrolled into view, although the summary has just moved it.
    place?.scrollIntoView({ block: 'nearest' });
  }, [problems]);
  return (
    <div role="alert" ref={box} tabIndex={-1} className={problems.length === 0 ? classes.empty : undefined}>
      {problems.length === 0 ? null : (
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
  const { text, advice, fieldId, code, requestId } = problem;
  return (
    <div>
      <p>
        {fieldId === undefined ? text : <a href={`#${fieldId}`}>{text}</a>}
        {advice === undefined ? null : ` ${advice}`}
      </p>
      {code === undefined && requestId === undefined ? null : (
        <details className={classes.details}>
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
