/** The editor for a column's type. */

import type { Ref } from 'react';
import { choicesOf, hasDefault } from '../cells.ts';
import { randomUuid } from '../random-uuid.ts';
import { t } from '../rows-text.ts';
import { ArrayEditor } from './array-editor.tsx';
import type { Draft } from './check.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';
import { JsonEditor } from './json-editor.tsx';
import { kindOf } from './kinds.ts';
import { ReferenceEditor } from './reference-editor.tsx';
import { TemporalEditor } from './temporal-editor.tsx';
import { LineEditor, TextEditor } from './text-editor.tsx';

export function ValueEditor(props: EditorProps) {
  const { column, readOnly } = props;
  const kind = kindOf(column);
  if (kind === 'json') return <JsonEditor {...props} />;
  if (readOnly) return <TextEditor {...props} />;
  if (column.references !== null) return <ReferenceEditor {...props} />;
  switch (kind) {
    case 'boolean':
      return <BooleanEditor {...props} />;
    case 'choice':
      return <ChoiceEditor {...props} />;
    case 'date':
    case 'time':
    case 'timestamp':
      return <TemporalEditor {...props} />;
    case 'array':
      return <ArrayEditor {...props} />;
    case 'bytes':
      return <BytesEditor {...props} />;
    case 'uuid':
      return <UuidEditor {...props} />;
    case 'number':
      return <LineEditor {...props} mode={column.type.startsWith('numeric') ? 'decimal' : 'numeric'} />;
    case 'text':
      return <TextEditor {...props} />;
  }
}

const maxLines = 12;
const lineDigits = 64;
const previewBytes = 64;

/** Edits bytes as hexadecimal digits and shows them as text. */
function BytesEditor({ field, fieldRef, draft, placeholder, onChange }: EditorProps) {
  const text = textOf(draft);
  const digits = text.replace(/^\\x/, '');
  return (
    <div className={classes.stack}>
      <textarea
        {...field}
        ref={fieldRef as Ref<HTMLTextAreaElement>}
        className={classes.input}
        data-mono
        rows={Math.min(maxLines, Math.max(1, Math.ceil(digits.length / lineDigits)))}
        value={digits}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => {
          const next = event.currentTarget.value.replace(/^\\x/, '');
          onChange({ value: `\\x${next}` });
        }}
      />
      {'value' in draft && draft.value !== null ? (
        <p className={classes.hint}>
          {t('bytes.size', { count: Math.floor(digits.replaceAll(/\s/g, '').length / 2) })}{' '}
          <span className={classes.mono}>{preview(digits)}</span>
        </p>
      ) : null}
    </div>
  );
}

/** Returns the first bytes as ASCII. Other characters are shown as dots. */
const preview = (digits: string): string =>
  (digits.match(/[\da-f]{2}/gi) ?? [])
    .slice(0, previewBytes)
    .map((pair) => Number.parseInt(pair, 16))
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'))
    .join('');

/**
 * Edits a value that is chosen from a list. Enums are edited with a select element, and booleans with a switch that
 * offers all states.
 */
function ChoiceEditor({ field, fieldRef, column, draft, onChange }: EditorProps) {
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

function BooleanEditor({ field, fieldRef, column, draft, onChange }: EditorProps) {
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

function UuidEditor(props: EditorProps) {
  return (
    <div className={classes.line}>
      <LineEditor {...props} />
      <button
        type="button"
        className={classes.action}
        onClick={() => props.onChange({ value: randomUuid() })}
      >
        {t('uuid.generate')}
      </button>
    </div>
  );
}
