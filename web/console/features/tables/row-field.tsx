import { useEffect, useRef } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import type { CellChange, Column } from '../../api/types.ts';
import { t } from '../../text.ts';
import { choicesOf, hasDefault, isMono, mayBeEmpty, shortType, typedChange } from './cells.ts';
import classes from './row-field.module.css';
import { Value } from './value.tsx';

const maxLines = 16;

export function RowField({
  id,
  column,
  change,
  isChanged,
  isNew,
  readOnly,
  autoFocus,
  isWrong,
  theirs,
  onChange,
  onReset,
}: {
  id: string;
  column: Column;
  change: CellChange;
  isChanged: boolean;
  isNew: boolean;
  readOnly: boolean;
  autoFocus: boolean;
  /** Whether the database's error refers to this column. */
  isWrong: boolean;
  /** The value that someone else has saved since this form was opened. */
  theirs?: CellChange;
  onChange: (change: CellChange) => void;
  onReset: () => void;
}) {
  const field = useRef<HTMLTextAreaElement & HTMLSelectElement>(null);
  useEffect(() => {
    if (autoFocus || isWrong) field.current?.focus();
  }, [autoFocus, isWrong]);
  const isDefault = 'default' in change;
  const text = isDefault ? '' : (change.value ?? '');
  const isNull = !isDefault && change.value === null;
  const choices = choicesOf(column);
  const placeholder = isDefault
    ? t('editor.default', { expression: column.default ?? t('editor.identity') })
    : isNull
      ? 'NULL'
      : t(mayBeEmpty(column) ? 'value.empty' : 'column.required');
  return (
    <div className={classes.field} data-changed={isChanged || undefined} data-wrong={isWrong || undefined}>
      <div className={classes.head}>
        <label htmlFor={id} className={classes.name}>
          {column.name}
        </label>
        <span className={classes.type}>
          {shortType(column.type)}
          {column.primary_key ? ` · ${t('column.key')}` : ''}
          {column.nullable ? '' : ` · ${t('column.required')}`}
        </span>
        {isChanged ? (
          <button type="button" className={classes.mode} onClick={onReset}>
            {t('row.reset')}
          </button>
        ) : null}
        {text === '' ? null : <CopyButton value={text} what={column.name} />}
      </div>
      {choices.length > 0 && !readOnly ? (
        <select
          ref={field}
          id={id}
          className={classes.input}
          value={isNull ? 'null' : isDefault ? 'default' : `=${text}`}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            if (chosen === 'null') onChange({ value: null });
            else if (chosen === 'default') onChange({ default: true });
            else onChange({ value: chosen.slice(1) });
          }}
        >
          {choices.map((choice) => (
            <option key={choice} value={`=${choice}`}>
              {choice}
            </option>
          ))}
          {text === '' && !isNull && !isDefault ? <option value="=">{t('value.choose')}</option> : null}
          {column.nullable ? <option value="null">NULL</option> : null}
          {hasDefault(column) ? <option value="default">{t('value.default')}</option> : null}
        </select>
      ) : (
        <textarea
          ref={field}
          id={id}
          className={classes.input}
          data-mono={isMono(column) || undefined}
          rows={Math.min(maxLines, Math.max(text.split('\n').length, Math.ceil(text.length / 70), 1))}
          value={text}
          placeholder={placeholder}
          readOnly={readOnly}
          spellCheck={false}
          onChange={(event) => onChange(typedChange(column, event.currentTarget.value))}
        />
      )}
      {readOnly || choices.length > 0 ? null : (
        <div className={classes.modes}>
          {column.nullable ? (
            <Mode label="NULL" isOn={isNull} onPick={() => onChange({ value: null })} />
          ) : null}
          {mayBeEmpty(column) ? (
            <Mode
              label={t('value.empty')}
              isOn={!isDefault && change.value === ''}
              onPick={() => onChange({ value: '' })}
            />
          ) : null}
          {hasDefault(column) ? (
            <Mode
              label={isNew ? t('value.default') : t('row.to-default')}
              isOn={isDefault}
              onPick={() => onChange({ default: true })}
            />
          ) : null}
        </div>
      )}
      {theirs === undefined ? null : (
        <p className={classes.theirs}>
          {t('edit.theirs')}: <Value change={theirs} />
        </p>
      )}
    </div>
  );
}

function Mode({ label, isOn, onPick }: { label: string; isOn: boolean; onPick: () => void }) {
  return (
    <button type="button" className={classes.mode} aria-pressed={isOn} onClick={onPick}>
      {label}
    </button>
  );
}
