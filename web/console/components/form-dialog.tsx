import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text.ts';
import classes from './form-dialog.module.css';
import { ProblemBox } from './problem-box.tsx';

/** A form over the page: its fields, what went wrong, and one button that sends it. */
export function FormDialog({
  title,
  action,
  isBusy,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  action: string;
  isBusy: boolean;
  error: unknown;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
      transitionProps={{ duration: 100 }}
      classNames={{ title: classes.title }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) onSubmit();
        }}
      >
        {error === null || error === undefined ? null : <ProblemBox error={error} />}
        {children}
        <div className={classes.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
