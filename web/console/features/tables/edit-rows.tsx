/** Sets one column to the same value in many rows. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import type { CellChange, Relation } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { isEditable } from './cells.ts';
import classes from './edit-rows.module.css';
import { RowField } from './row-field.tsx';
import { isAll, type RowScope, sizeQuery } from './scope.ts';
import { t } from './text.ts';

/**
 * If the operator changes at least this many rows and the change can't be undone, they must type the number to confirm.
 */
const many = 10;

export default function EditRows({
  relation,
  as,
  scope,
  count,
  onClose,
  onEdits,
  onDone,
}: {
  relation: Relation;
  as: string | undefined;
  scope: RowScope;
  count: () => Promise<number | undefined>;
  onClose: () => void;
  /** Changes loaded rows one by one, so that the change can be undone. */
  onEdits: (column: string, change: CellChange) => void;
  onDone: () => void;
}) {
  const id = useId();
  const columns = relation.columns.filter((column) => isEditable(column) && !column.primary_key);
  const [name, setName] = useState(columns[0]?.name ?? '');
  const column = columns.find((each) => each.name === name);
  const [change, setChange] = useState<CellChange>({ value: null });
  const { data: size, error: countError } = useQuery(sizeQuery(scope, count));
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /tables/:schema/:table/change', {
        params: { schema: relation.schema, table: relation.name },
        query: { as },
        body: { scope, rows: size, changes: { [name]: change } },
      }),
    onSuccess: onDone,
  });
  return (
    <Confirm
      title={size === undefined ? t('bulk.counting') : t('bulk.title', { count: size })}
      action={t('bulk.action', { count: size ?? 0 })}
      {...(isAll(scope) && (size === undefined || size >= many) ? { typed: String(size ?? '…') } : {})}
      isBusy={isPending}
      error={error ?? countError}
      isMild
      onConfirm={() => {
        if (size === undefined || column === undefined) return;
        if (isAll(scope)) mutate();
        else onEdits(name, change);
      }}
      onClose={onClose}
    >
      <div className={classes.form}>
        <p>{t(isAll(scope) ? 'bulk.type-all' : 'bulk.type')}</p>
        <label className={classes.label} htmlFor={`${id}-column`}>
          {t('bulk.column')}
        </label>
        <select
          id={`${id}-column`}
          className={classes.select}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setChange({ value: null });
          }}
        >
          {columns.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
        {column === undefined ? null : (
          <RowField
            id={`${id}-value`}
            column={column}
            change={change}
            isChanged={false}
            isNew={false}
            readOnly={false}
            autoFocus={false}
            isWrong={false}
            onChange={setChange}
            onReset={() => setChange({ value: null })}
          />
        )}
      </div>
    </Confirm>
  );
}
