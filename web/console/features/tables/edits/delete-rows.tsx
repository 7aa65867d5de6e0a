/** Deletes rows. First shows the other changes that the deletion causes, and whether the deletion can be undone. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { DeletedRows, DeleteEffect } from '../../../api/types.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { messageOf } from '../../../components/problem-box.tsx';
import { isAll, type RowScope, sizeQuery } from '../rows/scope.ts';
import { t } from '../rows-text.ts';
import classes from './delete-rows.module.css';

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
  /** Counts all rows that match the filters. */
  count: () => Promise<number | undefined>;
  onClose: () => void;
  /** Receives the deleted rows if they can be restored. */
  onDone: (deleted: DeletedRows | undefined, entry: number | undefined) => void;
}) {
  const params = { schema: name.schema, table: name.table };
  const { data: size, error: countError } = useQuery(sizeQuery(scope, count));
  const { data: plan, error: planError } = useQuery({
    queryKey: ['delete-effects', name.schema, name.table, as, scope],
    queryFn: ({ signal }) =>
      fetchConsole('POST /tables/:schema/:table/delete-effects', {
        params,
        query: { as },
        body: { scope },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const isPlanned = plan !== undefined || planError !== null;
  const undo = plan?.restorable ?? false;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('DELETE /tables/:schema/:table/rows', {
        params,
        query: { as },
        body: { scope, undo, ...(isAll(scope) ? { rows: size } : {}) },
      }),
    onSuccess: ({ restorable, undo: entry }) => onDone(restorable, entry?.id),
  });
  const isReady = size !== undefined && isPlanned;
  return (
    <Confirm
      title={size === undefined ? t('bulk.counting') : t('delete.title', { count: size })}
      action={t('delete.action', { count: size ?? 0 })}
      {...(size === undefined || size >= many ? { typed: String(size ?? '…') } : {})}
      isBusy={isPending}
      error={error ?? countError}
      onConfirm={() => {
        if (isReady) mutate();
      }}
      onClose={onClose}
    >
      <p>{t('delete.text', { count: size ?? 2, table: `${name.schema}.${name.table}` })}</p>
      <div role="status" className={classes.effects}>
        {isPlanned ? (
          <>
            {planError === null ? null : <p>{t('delete.unknown', { reason: messageOf(planError) })}</p>}
            {plan?.effects.map((effect) => (
              <Effect key={`${effect.schema}.${effect.table} ${effect.columns.join()}`} effect={effect} />
            ))}
            <p className={classes.undo}>{t(undo ? 'delete.undo' : 'delete.no-undo')}</p>
          </>
        ) : (
          <p>{t('delete.checking')}</p>
        )}
      </div>
    </Confirm>
  );
}

function Effect({ effect }: { effect: DeleteEffect }) {
  const { schema, table, columns, action, rows, isMore, deeper } = effect;
  const name = `${schema}.${table}`;
  return (
    <p className={classes.effect} data-action={action}>
      {t(`delete.${action}`, {
        table: name,
        column: columns.join(', '),
        count: rows,
        more: String(isMore),
      })}
      {action === 'cascade' && deeper ? ` ${t('delete.deeper', { table: name })}` : ''}
    </p>
  );
}
