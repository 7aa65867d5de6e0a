import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../text.ts';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { submitFromSelect } from './keyboard/submit-from-select.ts';
import { ProblemBox } from './problem-box.tsx';
import { useUnsaved } from './unsaved.tsx';

/**
 * A form in a dialog, with the error of the last submission and a submit button. Asks for confirmation before input is
 * lost.
 */
export function FormDialog({
  title,
  action,
  isBusy,
  error,
  isDone = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isBusy: boolean;
  error: unknown;
  /** Whether there is nothing left to cancel, because the dialog shows the result. */
  isDone?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const [isTouched, setTouched] = useState(false);
  const { close, question, release, hold } = useUnsaved(isTouched && !isBusy, onClose);
  return (
    <Dialog title={title} onClose={close}>
      <form
        className={classes.form}
        onInput={() => {
          setTouched(true);
          hold();
        }}
        onKeyDown={submitFromSelect}
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy) return;
          release();
          onSubmit();
        }}
      >
        {error === null || error === undefined ? null : <ProblemBox error={error} />}
        {children}
        <div className={classes.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {t(isDone ? 'panel.close' : 'confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isBusy}>
            {action}
          </Button>
        </div>
      </form>
      {question}
    </Dialog>
  );
}
