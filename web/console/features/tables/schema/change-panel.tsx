/** A panel with a form, followed by a review of the resulting SQL. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import type { SchemaChange } from './api.ts';
import classes from './forms.module.css';
import { Review } from './review.tsx';
import { t } from './text.ts';

export function ChangePanel({
  title,
  changes,
  startsWithReview = false,
  onClose,
  onDone = onClose,
  children,
}: {
  title: string;
  /** The changes that the form describes. Undefined or empty if the form doesn't describe a change yet. */
  changes: readonly SchemaChange[] | undefined;
  /** Whether the panel starts with the review, without a form. */
  startsWithReview?: boolean;
  onClose: () => void;
  /** Called after the change has run. */
  onDone?: () => void;
  children?: ReactNode;
}) {
  const [isTouched, setTouched] = useState(false);
  const [reviewed, setReviewed] = useState(startsWithReview ? changes : undefined);
  const isReady = changes !== undefined && changes.length > 0;
  return (
    <SidePanel
      title={reviewed === undefined ? title : t('review.title')}
      onClose={onClose}
      wide
      isDirty={isTouched && reviewed === undefined}
    >
      {reviewed === undefined ? (
        <form
          className={classes.form}
          onInput={() => setTouched(true)}
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) setReviewed(changes);
          }}
        >
          {children}
          <div className={classes.buttons}>
            <Button variant="default" size="sm" onClick={onClose}>
              {t('confirm.cancel')}
            </Button>
            <Button type="submit" size="sm" disabled={!isReady}>
              {t('schema.continue')}
            </Button>
          </div>
        </form>
      ) : (
        <Review
          changes={reviewed}
          onBack={startsWithReview ? onClose : () => setReviewed(undefined)}
          onDone={onDone}
        />
      )}
    </SidePanel>
  );
}
