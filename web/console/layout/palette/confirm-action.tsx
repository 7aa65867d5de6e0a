import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { fetchConsole, signOut } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { backupsQuery } from '../../features/backups/api.ts';
import type { ActionTools } from './actions.tsx';
import { t } from './text.ts';

export type ConfirmedAction = 'backup' | 'sign-out';

/** Asks for confirmation and then runs an action for which no page has a dialog. */
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
  const { data: backups, error: unknown } = useQuery({ ...backupsQuery, enabled: action === 'backup' });
  const isMissing = action === 'backup' && backups?.overview === null;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (action === 'sign-out') await signOut(queryClient).finally(() => router.invalidate());
      else if (!isMissing) {
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
      action={t(isMissing ? 'confirm.backup-set-up' : `confirm.${action}-action`)}
      isMild
      isBusy={isPending || (action === 'backup' && backups === undefined && unknown === null)}
      error={error ?? unknown}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {isMissing ? (
        <p>{t(backups?.missing === 'external' ? 'confirm.backup-external' : 'confirm.backup-missing')}</p>
      ) : (
        <p>{t(`confirm.${action}-text`)}</p>
      )}
      {backups?.overview == null ? null : (
        <p>
          {t('confirm.backup-target')} <code>{backups.overview.target}</code>
        </p>
      )}
    </Confirm>
  );
}
