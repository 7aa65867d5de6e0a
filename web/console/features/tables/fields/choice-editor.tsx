/**
 * Edits a value that is chosen from a list. Enums are edited with a select element, and booleans with a switch that
 * offers all states.
 */
import type { Ref } from 'react';
import { choicesOf, hasDefault } from '../cells.ts';
import { t } from '../rows-text.ts';
import type { Draft } from './check.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';

export function ChoiceEditor({ field, fieldRef, column, draft, onChange }: EditorProps) {
  const choices = choicesOf(column);
  const text = textOf(draft);
  const isOther = 'missing' in draft || ('value' in draft && draft.value !== null && !choices.includes(text));
  return (
    <select
      {...field}
      ref={fieldRef as Ref<HTMLSelectElement>}
      className={classes.input}
      value={optionOf(draft)}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        if (chosen === 'null') onChange({ value: null });
        else if (chosen === 'default') onChange({ default: true });
        else if (chosen !== 'missing') onChange({ value: chosen.slice(1) });
      }}
    >
      {isOther ? <option value={optionOf(draft)}>{text === '' ? t('value.choose') : text}</option> : null}
      {choices.map((choice) => (
        <option key={choice} value={`=${choice}`}>
          {choice}
        </option>
      ))}
      {column.nullable ? <option value="null">NULL</option> : null}
      {hasDefault(column) ? <option value="default">{t('value.default')}</option> : null}
    </select>
  );
}

function optionOf(draft: Draft): string {
  if ('missing' in draft) return 'missing';
  if ('default' in draft) return 'default';
  return draft.value === null ? 'null' : `=${draft.value}`;
}

export function BooleanEditor({ field, fieldRef, column, draft, onChange }: EditorProps) {
  const chosen = optionOf(draft);
  const options = [
    { value: '=true', label: 'true', change: { value: 'true' } },
    { value: '=false', label: 'false', change: { value: 'false' } },
    ...(column.nullable ? [{ value: 'null', label: 'NULL', change: { value: null } }] : []),
    ...(hasDefault(column)
      ? [{ value: 'default', label: t('value.default'), change: { default: true as const } }]
      : []),
  ];
  const focused = options.some(({ value }) => value === chosen) ? chosen : '=true';
  const { id, ...rest } = field;
  return (
    <div {...rest} id={id} role="radiogroup" aria-labelledby={`${id}-label`} className={classes.switch}>
      {options.map(({ value, label, change }) => (
        <label key={value} className={classes.switchItem}>
          <input
            type="radio"
            ref={value === focused ? (fieldRef as Ref<HTMLInputElement>) : undefined}
            name={id}
            checked={value === chosen}
            onChange={() => onChange(change)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}
