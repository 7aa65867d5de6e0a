import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { type ApiKey, keysQuery } from './api.ts';
import { t } from './text.ts';

/** Asks for confirmation and revokes an additional key. */
export function RevokeKey({
  apiKey: { id, name },
  onRevoked,
  onClose,
}: {
  apiKey: ApiKey;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('DELETE /keys/api/:id', { params: { id } }),
    onSuccess: onRevoked,
    onSettled: () => void queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  return (
    <Confirm
      title={t('keys.revoke-of', { name })}
      action={t('keys.revoke')}
      typed={name}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('keys.revoke-text')}</p>
    </Confirm>
  );
}
