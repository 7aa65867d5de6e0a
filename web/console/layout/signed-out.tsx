/**
 * Covers the page after the session has ended. The input is kept, so the operator can continue after signing in again
 * in another tab.
 */
import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../lib/api.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Notice } from '../../ui/notice.tsx';
import { resumeSession } from '../api/session.ts';
import { useModalLayer } from '../components/keyboard/modal-layer.ts';
import { ownCommand } from '../components/keyboard/own-command.ts';
import { ProblemBox } from '../components/problem-box.tsx';
import { t } from '../text.ts';
import classes from './signed-out.module.css';

export default function SignedOut() {
  const { root } = useModalLayer();
  const queryClient = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({ mutationFn: () => resumeSession(queryClient) });
  const isSignedOut = error instanceof ApiError && error.status === 401;
  return (
    <Modal
      ref={root}
      opened
      onClose={() => undefined}
      title={t('session.ended-title')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      lockScroll={false}
      zIndex="var(--mantine-z-index-max)"
      transitionProps={{ duration: 100 }}
      classNames={{ title: classes.title, body: classes.body }}
    >
      <p>{t('session.ended-text')}</p>
      <Copyable value={ownCommand('console')} what={t('sign-in.command')} />
      {isSignedOut || data !== undefined ? (
        <div role="alert">
          <Notice tone="warning">{t(isSignedOut ? 'session.signed-out' : 'session.factor')}</Notice>
        </div>
      ) : error === null ? null : (
        <ProblemBox error={error} />
      )}
      <Button size="sm" loading={isPending} data-autofocus onClick={() => mutate()}>
        {t('session.go-on')}
      </Button>
    </Modal>
  );
}
