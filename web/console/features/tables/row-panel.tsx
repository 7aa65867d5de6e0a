/** A form for one row. It shows long cells completely, saves several cells together, and can also insert a row. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { rowQuery } from '../../api/queries.ts';
import { fetchConsole } from '../../api/session.ts';
import type { Cell, CellChange, Relation, RowKey, RowValues } from '../../api/types.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { useDirty } from '../../components/unsaved.tsx';
import { t } from '../../text.ts';
import { hasDefault, isEditable } from './cells.ts';
import { currentOf } from './failure-bar.tsx';
import { RowField } from './row-field.tsx';
import classes from './row-panel.module.css';

interface RowPanelProps {
  readonly relation: Relation;
  /** Undefined for a new row. */
  readonly rowKey?: RowKey;
  readonly column?: string;
  readonly as: string | undefined;
  readonly canWrite: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export default function RowPanel(props: RowPanelProps) {
  const { relation, rowKey, onClose } = props;
  const title =
    rowKey === undefined
      ? t('row.new', { table: relation.name })
      : t('row.title', { table: relation.name, key: Object.values(rowKey).join(', ') });
  return (
    <SidePanel title={title} onClose={onClose} wide>
      {rowKey === undefined ? (
        <RowForm {...props} values={undefined} />
      ) : (
        <StoredRow {...props} rowKey={rowKey} />
      )}
    </SidePanel>
  );
}

function StoredRow(props: RowPanelProps & { rowKey: RowKey }) {
  const { relation, rowKey, as } = props;
  const name = { schema: relation.schema, table: relation.name };
  const { data, error } = useQuery(rowQuery(name, rowKey, as));
  if (data !== undefined) return <RowForm {...props} values={data} />;
  return error === null ? <SkeletonLines lines={8} /> : <ProblemBox error={error} />;
}

/** Returns the initial value of a field in a new row, which is the column's default. */
function initial(relation: Relation, name: string): CellChange {
  const column = relation.columns.find((each) => each.name === name);
  if (column === undefined || hasDefault(column) || column.generated) return { default: true };
  return { value: column.nullable ? null : '' };
}

function RowForm({
  relation,
  rowKey,
  column: focused,
  as,
  canWrite,
  onClose,
  onDone,
  values,
}: RowPanelProps & { values: RowValues | undefined }) {
  const id = useId();
  const queryClient = useQueryClient();
  const [changes, setChanges] = useState<Readonly<Record<string, CellChange>>>({});
  const name = { schema: relation.schema, table: relation.name };

  const stored = (column: string): CellChange =>
    values === undefined ? initial(relation, column) : { value: values[column] ?? null };
  const shown = (column: string): CellChange => changes[column] ?? stored(column);

  const { mutate, isPending, error } = useMutation({
    mutationFn: async (seen: Readonly<Record<string, Cell>>): Promise<void> => {
      if (rowKey !== undefined) {
        const { rows } = await fetchConsole('PATCH /tables/:schema/:table/rows', {
          params: name,
          query: { as },
          body: { edits: [{ key: rowKey, changes, seen }] },
        });
        queryClient.setQueryData(rowQuery(name, rowKey, as).queryKey, rows[0]?.row);
        return;
      }
      const given = relation.columns
        .filter(isEditable)
        .map((column) => [column.name, shown(column.name)] as const)
        .filter(([, change]) => !('default' in change));
      await fetchConsole('POST /tables/:schema/:table/rows', {
        params: name,
        query: { as },
        body: { values: Object.fromEntries(given) },
      });
    },
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  useDirty(Object.keys(changes).length > 0 && !isPending);
  const current = currentOf(error);
  const wrongColumn = error instanceof ApiError ? error.body.column : undefined;
  const seenOf = (row: RowValues | undefined): Record<string, Cell> =>
    Object.fromEntries(Object.keys(changes).map((column) => [column, row?.[column] ?? null]));

  function submit(event: FormEvent): void {
    event.preventDefault();
    mutate(seenOf(values));
  }

  const isUnchanged = rowKey !== undefined && Object.keys(changes).length === 0;
  return (
    <form onSubmit={submit} className={classes.form}>
      {rowKey !== undefined && relation.key.kind === 'columns' ? (
        <Link
          to="/why"
          search={{ ...name, op: 'select', key: rowKey, ...(as === undefined ? {} : { as }) }}
          className={classes.why}
        >
          {t('row.why')}
        </Link>
      ) : null}
      {error === null ? null : (
        <ProblemBox error={error} {...(current === undefined ? {} : { title: t('row.conflict') })}>
          {current === undefined ? null : (
            <div className={classes.conflict}>
              <Button size="compact-sm" color="red" onClick={() => mutate(seenOf(current))}>
                {t('edit.keep-yours')}
              </Button>
            </div>
          )}
        </ProblemBox>
      )}
      {relation.columns.map((column) => (
        <RowField
          key={column.name}
          id={`${id}-${column.name}`}
          column={column}
          change={shown(column.name)}
          isChanged={changes[column.name] !== undefined}
          isNew={rowKey === undefined}
          readOnly={!canWrite || !isEditable(column)}
          autoFocus={focused === column.name}
          isWrong={wrongColumn === column.name}
          {...(current === undefined || changes[column.name] === undefined
            ? {}
            : { theirs: { value: current[column.name] ?? null } })}
          onChange={(change) => setChanges({ ...changes, [column.name]: change })}
          onReset={() =>
            setChanges(Object.fromEntries(Object.entries(changes).filter(([each]) => each !== column.name)))
          }
        />
      ))}
      {canWrite ? (
        <div className={classes.foot}>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isPending} disabled={isUnchanged}>
            {t(rowKey === undefined ? 'row.insert' : 'row.save')}
          </Button>
        </div>
      ) : null}
    </form>
  );
}
