import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { t } from '../text.ts';
import classes from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { ProblemBox } from './problem-box.tsx';

/**
 * Asks for confirmation of an irreversible action. If the action affects a lot of data, the operator must type a name
 * or number.
 */
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
  /** Whether the action is harmless or can be undone. */
  isMild?: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const id = useId();
  const isReady = typed === undefined || text.trim() === typed;
  return (
    <Dialog title={title} onClose={onClose}>
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
    </Dialog>
  );
}
