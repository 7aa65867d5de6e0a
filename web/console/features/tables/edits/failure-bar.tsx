/**
 * Shows an edit that the database rejected, with the error. If two edits conflict, the operator can choose between the
 * two values.
 */
import { Button, CloseButton } from '@mantine/core';
import { ApiError } from '../../../../lib/api.ts';
import type { RowValues } from '../../../api/types.ts';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { keyText, valueIn } from '../cells.ts';
import { t } from '../text.ts';
import { Value } from '../value.tsx';
import classes from './failure-bar.module.css';
import type { Edits, Failure } from './use-edits.ts';

/** Returns the row's current values, which the server sends if an edit conflicts with them. */
export function currentOf(error: unknown): RowValues | undefined {
  return error instanceof ApiError && error.code === 'conflict'
    ? (error.body.current as RowValues | undefined)
    : undefined;
}

/** Whether the same request would be rejected again. Other errors may be temporary. */
const isRejection = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401;

function titleOf({ edit, edits, error, isUndo }: Failure): string {
  const { column } = edit;
  const count = edits.length;
  const isConflict = currentOf(error) !== undefined;
  if (isUndo) return t(isConflict ? 'edit.undo-conflict' : 'edit.undo-refused', { column, count });
  if (count > 1 && !isConflict) return t('edit.many-refused', { count, row: edit.index + 1 });
  return t(isConflict ? 'edit.conflict' : 'edit.refused', { column });
}

export function FailureBar({ edits, onRetry }: { edits: Edits; onRetry: () => void }) {
  const { failure } = edits;
  if (failure === undefined) return null;
  const { edit, edits: all, error, isUndo } = failure;
  const current = currentOf(error);
  return (
    <div className={classes.bar}>
      <ProblemBox error={error} title={titleOf(failure)}>
        {current === undefined && all.length === 1 ? (
          <dl className={classes.values}>
            <div>
              <dt>{t(isUndo ? 'edit.previous' : 'edit.yours')}</dt>
              <dd>
                <Value change={edit.change} />
              </dd>
            </div>
          </dl>
        ) : null}
        {current === undefined && !isRejection(error) ? (
          <div className={classes.buttons}>
            <Button size="compact-sm" onClick={() => void edits.retry(all)}>
              {t('edit.try-again')}
            </Button>
          </div>
        ) : null}
        {current === undefined ? null : (
          <>
            <dl className={classes.values}>
              <div>
                <dt>{t(isUndo ? 'edit.previous' : 'edit.yours')}</dt>
                <dd>
                  <Value change={edit.change} />
                </dd>
              </div>
              <div>
                <dt>{t('edit.theirs')}</dt>
                <dd>
                  <Value change={{ value: valueIn(current, edit.column) }} />
                </dd>
              </div>
            </dl>
            <div className={classes.buttons}>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  edits.giveUp(edit);
                  onRetry();
                }}
              >
                {t('edit.keep-theirs')}
              </Button>
              <Button
                size="compact-sm"
                color="red"
                onClick={() =>
                  void edits.retry(
                    all.map((each) =>
                      keyText(each.key) === keyText(edit.key)
                        ? { ...each, seen: valueIn(current, each.column) }
                        : each,
                    ),
                  )
                }
              >
                {t('edit.keep-yours')}
              </Button>
            </div>
          </>
        )}
      </ProblemBox>
      <CloseButton className={classes.close} aria-label={t('edit.dismiss')} onClick={edits.dismiss} />
    </div>
  );
}
