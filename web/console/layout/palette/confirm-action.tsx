import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { fetchConsole, signOut } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import type { ActionTools } from './actions.tsx';
import { t } from './text.ts';

export type ConfirmedAction = 'backup' | 'sign-out';

/** Asks for confirmation, and then runs an action that has no dialog on a page. */
export function ConfirmAction({
  action,
  open,
  onClose,
}: {
  action: ConfirmedAction;
  open: ActionTools['open'];
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (action === 'sign-out') await signOut(queryClient).finally(() => router.invalidate());
      else {
        await fetchConsole('POST /backups/run');
        void queryClient.invalidateQueries({ queryKey: ['backups'] });
      }
    },
    onSuccess: () => {
      onClose();
      if (action === 'backup') open({ to: '/backups' });
    },
  });
  return (
    <Confirm
      title={t(`confirm.${action}`)}
      action={t(`confirm.${action}-action`)}
      isMild
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t(`confirm.${action}-text`)}</p>
    </Confirm>
  );
}
