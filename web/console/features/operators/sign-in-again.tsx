/** Asks operators to confirm their identity if an action was rejected because their sign-in is too old. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../lib/api.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { resumeSession, sessionQuery } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { signInCommand } from '../../components/sign-in-command.ts';
import { t as common } from '../../text.ts';
import { ProveFactor } from './factor-step.tsx';
import classes from './form.module.css';
import { t } from './text.ts';

/** Whether the error means that the operator must sign in again first. */
export const needsSignIn = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'sign_in_again';

/**
 * Shows a dialog if the error requires it. `onDone` repeats the action. The component must be outside of forms, because
 * React's submit events would reach them.
 */
export function SignInAgain({
  error,
  onDone,
  onClose,
}: {
  error: unknown;
  onDone: () => void;
  onClose: () => void;
}) {
  const { data: session } = useQuery(sessionQuery);
  if (!needsSignIn(error)) return null;
  return (
    <Dialog title={t('again.title')} onClose={onClose}>
      <div className={classes.form}>
        <p className={classes.text}>{t('again.text')}</p>
        {session?.factor === 'proven' ? <ProveFactor onDone={onDone} /> : <ByLink onDone={onDone} />}
      </div>
    </Dialog>
  );
}

/** Asks operators without a second factor to sign in with a new link in another tab. */
function ByLink({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => resumeSession(queryClient),
    onSuccess: onDone,
  });
  return (
    <>
      <p className={classes.text}>{t('again.link')}</p>
      <Copyable value={signInCommand} what={common('sign-in.command')} />
      {error === null ? null : <ProblemBox error={error} />}
      <div className={classes.buttons}>
        <Button size="sm" loading={isPending} data-autofocus onClick={() => mutate()}>
          {common('session.go-on')}
        </Button>
      </div>
    </>
  );
}
