import { type ReactNode, useEffect, useRef } from 'react';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import type { TableName } from '../../../api/queries.ts';
import type { CellChange, Column } from '../../../api/types.ts';
import { hasDefault, mayBeEmpty, shortType } from '../cells.ts';
import { type Draft, isGiven, type Problem } from '../fields/check.ts';
import { textOf } from '../fields/editor.ts';
import { kindOf } from '../fields/kinds.ts';
import { ValueEditor } from '../fields/value-editor.tsx';
import { t } from '../rows-text.ts';
import { Value } from '../value.tsx';
import classes from './row-field.module.css';

export interface RowFieldProps {
  readonly id: string;
  readonly column: Column;
  readonly table: TableName;
  readonly as: string | undefined;
  readonly draft: Draft;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly readOnly: boolean;
  readonly autoFocus: boolean;
  readonly startsOpen?: boolean;
  readonly problem: Problem | undefined;
  /** The database's error, if the error refers to this column. */
  readonly children?: ReactNode;
  /** The value that another operator or client has saved since this form was opened. */
  readonly theirs?: CellChange;
  readonly onChange: (change: CellChange) => void;
  readonly onReset: () => void;
}

export function RowField(props: RowFieldProps) {
  const { id, column, draft, isChanged, readOnly, autoFocus, problem, theirs, children } = props;
  const field = useRef<HTMLElement>(null);
  const isRejected = children !== undefined && children !== null;
  const isWrong = problem !== undefined || isRejected;
  const takesFocus = autoFocus || isRejected;
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  const text = textOf(draft);
  return (
    <div
      className={classes.field}
      data-changed={isChanged || undefined}
      // Without this attribute, a dialog would focus its close button. With this attribute, the focus stays in the
      // field.
      data-autofocus={autoFocus || undefined}
    >
      <div className={classes.head}>
        <label htmlFor={id} id={`${id}-label`} className={classes.name}>
          {column.name}
        </label>
        <span className={classes.type}>
          {shortType(column.type)}
          {column.primary_key ? ` · ${t('column.key')}` : ''}
          {column.nullable ? '' : ` · ${t('column.required')}`}
        </span>
        {isChanged ? (
          <button type="button" className={classes.mode} onClick={props.onReset}>
            {t('row.reset')}
          </button>
        ) : null}
        {text === '' ? null : <CopyButton value={text} what={column.name} />}
      </div>
      <ValueEditor
        field={{
          id,
          'aria-invalid': isWrong || undefined,
          'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
        }}
        fieldRef={field}
        column={column}
        draft={draft}
        readOnly={readOnly}
        placeholder={placeholderOf(column, draft)}
        table={props.table}
        as={props.as}
        startsOpen={props.startsOpen === true}
        onChange={props.onChange}
      />
      {problem === undefined ? null : (
        <p id={`${id}-problem`} className={classes.problem}>
          {t(problem.id, problem.values)}
        </p>
      )}
      {children}
      {readOnly ? null : <Modes {...props} />}
      {theirs === undefined ? null : (
        <p className={classes.theirs}>
          {t('edit.theirs')}: <Value change={theirs} />
        </p>
      )}
    </div>
  );
}

export function placeholderOf(column: Column, draft: Draft): string {
  if (!isGiven(draft)) return t('value.missing');
  if ('default' in draft) return t('editor.default', { expression: column.default ?? t('editor.identity') });
  if (draft.value === null) return 'NULL';
  return t(mayBeEmpty(column) ? 'value.empty' : 'column.required');
}

/** The buttons that set a field to NULL, to an empty string or to the default. */
function Modes({ column, draft, isNew, onChange }: RowFieldProps) {
  const kind = kindOf(column);
  // The editors for booleans and choices already offer NULL and the default.
  if ((kind === 'boolean' || kind === 'choice') && column.references === null) return null;
  const modes = [
    { isOffered: column.nullable, label: 'NULL', change: { value: null } },
    { isOffered: mayBeEmpty(column), label: t('value.empty'), change: { value: '' } },
    {
      isOffered: hasDefault(column),
      label: isNew ? t('value.default') : t('row.to-default'),
      change: { default: true as const },
    },
  ].filter(({ isOffered }) => isOffered);
  if (modes.length === 0) return null;
  return (
    <div className={classes.modes}>
      {modes.map(({ label, change }) => (
        <button
          key={label}
          type="button"
          className={classes.mode}
          aria-pressed={isSame(draft, change)}
          onClick={() => onChange(change)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

function isSame(draft: Draft, change: CellChange): boolean {
  if ('default' in change) return 'default' in draft;
  return 'value' in draft && draft.value === change.value;
}
