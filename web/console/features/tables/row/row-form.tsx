import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { ApiError } from '../../../../lib/api.ts';
import { rowQuery } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { Cell, CellChange, Column, Relation, RowKey, RowValues } from '../../../api/types.ts';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { useDirty } from '../../../components/unsaved.tsx';
import { hasDefault, isEditable, valueIn } from '../cells.ts';
import { currentOf } from '../edits/failure-bar.tsx';
import { checkDraft, type Draft, isGiven, missing } from '../fields/check.ts';
import { t } from '../rows-text.ts';
import { RowField } from './row-field.tsx';
import classes from './row-panel.module.css';

export interface RowPanelProps {
  readonly relation: Relation;
  /** The row to edit or, for a new row, to copy. */
  readonly rowKey?: RowKey;
  readonly isNew: boolean;
  readonly column?: string;
  readonly as: string | undefined;
  readonly canWrite: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RowForm({
  relation,
  rowKey,
  isNew,
  column: focused,
  as,
  canWrite,
  onClose,
  onDone,
  values,
}: RowPanelProps & {
  /** The stored row. For a new row, the row to copy. */
  values: RowValues | undefined;
}) {
  const id = useId();
  const queryClient = useQueryClient();
  const [changes, setChanges] = useState<ReadonlyMap<string, CellChange>>(new Map());
  /** Problems are shown after the first attempt to save. */
  const [isShown, setShown] = useState(false);
  const name = { schema: relation.schema, table: relation.name };

  const stored = (column: Column): Draft => {
    if (!isNew) return { value: valueIn(values ?? {}, column.name) };
    return values === undefined ? newDraft(column) : copiedDraft(column, values);
  };
  const draftOf = (column: Column): Draft => changes.get(column.name) ?? stored(column);
  const checked = relation.columns.filter(
    (column) => canWrite && isEditable(column) && (isNew || changes.has(column.name)),
  );
  const problems = new Map(
    checked.flatMap((column) => {
      const problem = checkDraft(column, draftOf(column), isNew && relation.insert_trigger);
      return problem === undefined ? [] : [[column.name, problem] as const];
    }),
  );

  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (seen: Readonly<Record<string, Cell>>): Promise<void> => {
      if (!isNew && rowKey !== undefined) {
        const { rows } = await fetchConsole('PATCH /tables/:schema/:table/rows', {
          params: name,
          query: { as },
          body: { edits: [{ key: rowKey, changes: Object.fromEntries(changes), seen }] },
        });
        queryClient.setQueryData(rowQuery(name, rowKey, as).queryKey, rows[0]?.row);
        return;
      }
      const given = relation.columns
        .filter(isEditable)
        .map((column) => [column.name, draftOf(column)] as const)
        .filter((entry): entry is [string, CellChange] => isGiven(entry[1]) && !('default' in entry[1]));
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
  useDirty(changes.size > 0 && !isPending);
  const current = currentOf(error);
  const wrongColumn = columnOfError(error, relation);
  const seenOf = (row: RowValues | undefined): Record<string, Cell> =>
    Object.fromEntries([...changes.keys()].map((column) => [column, valueIn(row ?? {}, column)]));

  function submit(event: FormEvent): void {
    event.preventDefault();
    setShown(true);
    reset();
    const wrong = relation.columns.findIndex((column) => problems.has(column.name));
    if (wrong < 0) mutate(seenOf(isNew ? undefined : values));
    else focusField(fieldId(wrong));
  }

  const fieldId = (index: number): string => `${id}-${index}`;
  const change = (column: string, next: CellChange | undefined): void => {
    const all = new Map(changes);
    if (next === undefined) all.delete(column);
    else all.set(column, next);
    setChanges(all);
  };
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      {!isNew && rowKey !== undefined && relation.key.kind === 'columns' ? (
        <Link
          to="/why"
          search={{ ...name, op: 'select', key: rowKey, ...(as === undefined ? {} : { as }) }}
          className={classes.why}
        >
          {t('row.why')}
        </Link>
      ) : null}
      {error === null || wrongColumn !== undefined ? null : (
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
      {relation.columns.map((column, index) => (
        <RowField
          key={column.name}
          id={fieldId(index)}
          column={column}
          table={name}
          as={as}
          draft={draftOf(column)}
          isChanged={changes.has(column.name)}
          isNew={isNew}
          readOnly={!canWrite || !isEditable(column)}
          autoFocus={focused === column.name}
          problem={isShown ? problems.get(column.name) : undefined}
          {...(current === undefined || !changes.has(column.name)
            ? {}
            : { theirs: { value: valueIn(current, column.name) } })}
          onChange={(next) => change(column.name, next)}
          onReset={() => change(column.name, undefined)}
        >
          {wrongColumn === column.name ? <ProblemBox error={error} /> : null}
        </RowField>
      ))}
      {canWrite ? (
        <div className={classes.foot}>
          <span role="status" className={classes.summary}>
            {isShown && problems.size > 0 ? t('check.summary', { count: problems.size }) : ''}
          </span>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" loading={isPending} disabled={!isNew && changes.size === 0}>
            {t(isNew ? 'row.insert' : 'row.save')}
          </Button>
        </div>
      ) : null}
    </form>
  );
}

/**
 * Focuses a field. If the editor has several elements, the ID belongs to the editor, and its first element receives
 * focus.
 */
function focusField(id: string): void {
  const field = document.getElementById(id);
  const focusable = 'input, textarea, select, button';
  (field?.matches(focusable) === true ? field : field?.querySelector<HTMLElement>(focusable))?.focus();
}

/**
 * Returns the column to which the database's error refers. For a violated key, PostgreSQL names the columns only in the
 * detail, such as `Key (shelf)=(99) is not present in table "shelves".`
 */
function columnOfError(error: unknown, relation: Relation): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const name =
    typeof error.body.column === 'string'
      ? error.body.column
      : /^Key \((.+?)\)=/.exec(error.detail ?? '')?.[1];
  return relation.columns.find((column) => column.name === name || `"${column.name}"` === name)?.name;
}

/**
 * Returns a column's initial value, which is its default. If the column doesn't have a default, the value is NULL if
 * the column is nullable, and otherwise missing.
 */
function newDraft(column: Column): Draft {
  if (hasDefault(column) || column.generated) return { default: true };
  return column.nullable ? { value: null } : missing;
}

/** Returns a column's value in a copy of a row. The copy has the same values, except for the primary key. */
function copiedDraft(column: Column, values: RowValues): Draft {
  if (column.primary_key || column.generated || column.identity !== null)
    return hasDefault(column) || column.generated ? { default: true } : missing;
  return { value: valueIn(values, column.name) };
}
