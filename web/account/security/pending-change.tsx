import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { callAuth, sessionClient } from '../session.ts';
import { t } from './pending-text.ts';
import classes from './security.module.css';

export interface PendingChangeProps {
  readonly kind: 'email' | 'phone';
  /** The new email address or phone number. */
  readonly to: string;
  /** Describes the pending change. */
  readonly text: string;
  readonly onCanceled: () => void;
  /** The label of the button that cancels the change. */
  readonly cancel?: string;
  readonly children?: ReactNode;
}

/** Shows a change that isn't confirmed yet, with buttons to resend the code and to cancel the change. */
export function PendingChange(props: PendingChangeProps) {
  const { kind, to, text, onCanceled, children } = props;
  const [resent, setResent] = useState(false);
  const again = useSubmit(async () => {
    setResent(false);
    // Requests the same change again, because upstream's /resend requires a current address, which a guest doesn't
    // have.
    await callAuth('/user', { method: 'PUT', body: { [kind]: to } });
    setResent(true);
    return undefined;
  });
  const cancel = useSubmit(async () => {
    await callAuth(`/user/${kind}_change`, { method: 'DELETE' });
    onCanceled();
    await sessionClient().changed('USER_UPDATED');
    return undefined;
  });
  const busy = again.busy || cancel.busy;
  return (
    <Notice tone="info">
      <p>
        <WithAddresses text={text} />
      </p>
      <p role="status">{resent ? t('pending.resent') : ''}</p>
      {children}
      <ErrorSummary problems={[...again.problems, ...cancel.problems]} />
      <div className={classes.actions}>
        <Button
          variant="subtle"
          size="xs"
          loading={again.busy}
          disabled={busy}
          onClick={() => again.run(undefined)}
        >
          {t('pending.resend')}
        </Button>
        <Button
          variant="subtle"
          size="xs"
          loading={cancel.busy}
          disabled={busy}
          onClick={() => cancel.run(undefined)}
        >
          {props.cancel ?? t('pending.cancel')}
        </Button>
      </div>
    </Notice>
  );
}
