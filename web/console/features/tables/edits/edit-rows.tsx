/** Sets one column to the same value in many rows. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import type { CellChange, Relation } from '../../../api/types.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { type GridRow, isEditable } from '../cells.ts';
import { checkDraft, type Draft, isGiven, missing } from '../fields/check.ts';
import { kindOf } from '../fields/kinds.ts';
import { RowField } from '../row/row-field.tsx';
import { isAll, type RowScope, sizeQuery } from '../rows/scope.ts';
import type { Rows } from '../rows/use-rows.ts';
import { t } from '../rows-text.ts';
import { Value } from '../value.tsx';
import classes from './edit-rows.module.css';

/**
 * If the operator changes at least this many rows and the change can't be undone, they must type the number to confirm.
 */
const many = 10;

const noValue = { id: 'bulk.no-value' } as const;

/** Enter also saves in a multiline field, where Shift+Enter starts a new line. */
function saveOnEnter(event: KeyboardEvent): void {
  const { target } = event;
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  if (!(target instanceof HTMLTextAreaElement)) return;
  event.preventDefault();
  target.form?.requestSubmit();
}

export default function EditRows({
  relation,
  as,
  scope,
  rows,
  column: active,
  onClose,
  onEdits,
  onDone,
}: {
  relation: Relation;
  as: string | undefined;
  scope: RowScope;
  rows: Rows;
  /** The active cell's column. If the column is undefined or can't be edited, the operator must choose a column. */
  column: string | undefined;
  onClose: () => void;
  /** Changes loaded rows with individual edits, so that the change can be undone. */
  onEdits: (column: string, change: CellChange) => void;
  /** Receives the entry of the undo journal. */
  onDone: (entry: number | undefined) => void;
}) {
  const id = useId();
  const columns = relation.columns.filter((column) => isEditable(column) && !column.primary_key);
  const isOffered = columns.some((each) => each.name === active);
  const [name, setName] = useState((isOffered ? active : undefined) ?? '');
  const column = columns.find((each) => each.name === name);
  const [draft, setDraft] = useState<Draft>(missing);
  const [isShown, setShown] = useState(false);
  const problem = column && (isGiven(draft) ? checkDraft(column, draft) : noValue);
  const isUnchosen = isShown && column === undefined;
  const shownRows = isAll(scope)
    ? Array.from({ length: maxPreviewed }, (_, index) => rows.row(index)).filter((row) => row !== undefined)
    : rows.find(scope.keys).slice(0, maxPreviewed);
  const { data: size, error: countError } = useQuery(sizeQuery(scope, rows.count));
  const { mutate, isPending, error } = useMutation({
    mutationFn: (change: CellChange) =>
      fetchConsole('POST /tables/:schema/:table/change', {
        params: { schema: relation.schema, table: relation.name },
        query: { as },
        body: { scope, rows: size, changes: Object.fromEntries([[name, change]]) },
      }),
    onSuccess: ({ undo }) => onDone(undo?.id),
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
        setShown(true);
        if (size === undefined || column === undefined || problem !== undefined || !isGiven(draft)) return;
        if (isAll(scope)) mutate(draft);
        else onEdits(name, draft);
      }}
      onClose={onClose}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the field inside */}
      <div className={classes.form} onKeyDown={column && kindOf(column) === 'text' ? saveOnEnter : undefined}>
        <p>
          {t(isAll(scope) ? 'bulk.type-all' : 'bulk.type', {
            count: size ?? 2,
            table: `${relation.schema}.${relation.name}`,
          })}
        </p>
        <label className={classes.label} htmlFor={`${id}-column`}>
          {t('bulk.column')}
        </label>
        <select
          id={`${id}-column`}
          className={classes.select}
          data-autofocus={!isOffered || undefined}
          value={name}
          aria-invalid={isUnchosen || undefined}
          aria-describedby={isUnchosen ? `${id}-unchosen` : undefined}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setDraft(missing);
            setShown(false);
          }}
        >
          {name === '' ? <option value="">{t('bulk.choose-column')}</option> : null}
          {columns.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
        {isUnchosen ? (
          <p id={`${id}-unchosen`} className={classes.problem} role="alert">
            {t('bulk.no-column')}
          </p>
        ) : null}
        {column === undefined ? null : (
          <RowField
            id={`${id}-value`}
            column={column}
            table={{ schema: relation.schema, table: relation.name }}
            as={as}
            draft={draft}
            isChanged={false}
            isNew={false}
            readOnly={false}
            autoFocus={isOffered}
            problem={isShown ? problem : undefined}
            onChange={setDraft}
            onReset={() => setDraft(missing)}
          />
        )}
        {column === undefined ? null : (
          <EditPreview
            relation={relation}
            column={column.name}
            rows={shownRows}
            total={size ?? shownRows.length}
            change={problem === undefined && isGiven(draft) ? draft : undefined}
          />
        )}
      </div>
    </Confirm>
  );
}

export const maxPreviewed = 5;

/** Shows the current and the new value of the first rows that a bulk change applies to. */
export function EditPreview({
  relation,
  column,
  rows,
  total,
  change,
}: {
  relation: Relation;
  column: string;
  rows: readonly GridRow[];
  /** The number of rows that will be changed, including rows that aren't shown. */
  total: number;
  /** Undefined until the operator has entered a valid value. */
  change: CellChange | undefined;
}) {
  const at = relation.columns.findIndex(({ name }) => name === column);
  const keyNames = relation.key.kind === 'columns' ? relation.key.columns.join(', ') : t('bulk.row');
  return (
    <>
      <table className={classes.preview} aria-label={t('bulk.preview')}>
        <thead>
          <tr>
            <th scope="col">{keyNames}</th>
            <th scope="col">{t('bulk.old')}</th>
            <th scope="col">{t('bulk.new')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key = {}, cells, cut }) => (
            <tr key={Object.values(key).join()}>
              <th scope="row">{Object.values(key).join(', ')}</th>
              <td>
                <Value change={{ value: cells[at] ?? null }} isCut={cut.includes(at)} />
              </td>
              <td>{change === undefined ? '–' : <Value change={change} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length ? (
        <p className={classes.more}>{t('bulk.more', { count: total - rows.length })}</p>
      ) : null}
    </>
  );
}
