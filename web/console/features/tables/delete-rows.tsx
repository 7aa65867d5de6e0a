import { useMutation, useQuery } from '@tanstack/react-query';
import type { TableName } from '../../api/queries.ts';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { isAll, type RowScope, sizeQuery } from './scope.ts';
import { t } from './text.ts';

/** If the operator deletes at least this many rows, they must type the number to confirm. */
const many = 10;

export default function DeleteRows({
  name,
  as,
  scope,
  count,
  onClose,
  onDone,
}: {
  name: TableName;
  as: string | undefined;
  scope: RowScope;
  /** Counts all matching rows. */
  count: () => Promise<number | undefined>;
  onClose: () => void;
  onDone: () => void;
}) {
  const { data: size, error: countError } = useQuery(sizeQuery(scope, count));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('DELETE /tables/:schema/:table/rows', {
        params: { schema: name.schema, table: name.table },
        query: { as },
        body: { scope, ...(isAll(scope) ? { rows: size } : {}) },
      }),
    onSuccess: onDone,
  });
  const table = `${name.schema}.${name.table}`;
  return (
    <Confirm
      title={size === undefined ? t('bulk.counting') : t('delete.title', { count: size })}
      action={t('delete.action', { count: size ?? 0 })}
      {...(size === undefined || size >= many ? { typed: String(size ?? '…') } : {})}
      isBusy={isPending}
      error={error ?? countError}
      onConfirm={() => {
        if (size !== undefined) mutate();
      }}
      onClose={onClose}
    >
      <p>{t('delete.text', { table })}</p>
    </Confirm>
  );
}
