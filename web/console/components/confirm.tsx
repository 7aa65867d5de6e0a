import { Button, Modal, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { t } from '../text.ts';
import classes from './confirm.module.css';
import { ProblemBox } from './problem-box.tsx';

/** Asks for confirmation of an irreversible action. For large ones, the operator must type a name or number. */
export function Confirm({
  title,
  children,
  action,
  typed,
  isBusy,
  isMild = false,
  error,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  /** The text that the operator must type. */
  typed?: string;
  isBusy: boolean;
  /** Whether the action is harmless or reversible. */
  isMild?: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const id = useId();
  const isReady = typed === undefined || text.trim() === typed;
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
          if (isReady && !isBusy) onConfirm();
        }}
      >
        <div>{children}</div>
        {typed === undefined ? null : (
          <TextInput
            id={id}
            label={t('confirm.type', { text: typed })}
            value={text}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {error === null || error === undefined ? null : <ProblemBox error={error} />}
        <div className={classes.buttons}>
          <Button
            variant="default"
            size="sm"
            onClick={onClose}
            data-autofocus={typed === undefined || undefined}
          >
            {t('confirm.cancel')}
          </Button>
          <Button
            type="submit"
            {...(isMild ? {} : { color: 'red' })}
            size="sm"
            disabled={!isReady}
            loading={isBusy}
          >
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
