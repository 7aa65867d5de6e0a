/** Edits bytes as hexadecimal digits and shows them as text. */
import type { Ref } from 'react';
import { t } from '../rows-text.ts';
import { type EditorProps, textOf } from './editor.ts';
import classes from './fields.module.css';

const maxLines = 12;
const lineDigits = 64;
const previewBytes = 64;

export function BytesEditor({ field, fieldRef, draft, placeholder, onChange }: EditorProps) {
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
