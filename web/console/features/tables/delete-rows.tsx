import { useMutation } from '@tanstack/react-query';
import { rowsPath, type TableName } from '../../api/queries.ts';
import { callConsole } from '../../api/session.ts';
import type { RowKey } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { t } from '../../text.ts';

/** From this many on, the number has to be typed. */
const many = 10;

export function DeleteRows({
  name,
  keys,
  onClose,
  onDone,
}: {
  name: TableName;
  keys: readonly RowKey[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => callConsole<{ deleted: number }>(rowsPath(name), { method: 'DELETE', body: { keys } }),
    onSuccess: onDone,
  });
  return (
    <Confirm
      title={t('delete.title', { count: keys.length })}
      action={t('delete.action', { count: keys.length })}
      {...(keys.length >= many ? { typed: String(keys.length) } : {})}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>{t('delete.text', { table: `${name.schema}.${name.table}` })}</p>
    </Confirm>
  );
}
