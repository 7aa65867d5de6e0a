import { useState } from 'react';
import { loadPart } from '../../components/lazy-part.ts';
import { type Selection, selectedText } from './selection.ts';

/** Formats the selected text, or the complete text. `onChange` receives the complete text. */
export function useFormat(onChange: (text: string) => void): {
  readonly run: (text: string, selection: Selection) => Promise<void>;
  /** The reason why the text couldn't be formatted. */
  readonly fault: 'sql.format-failed' | undefined;
} {
  const [failed, setFailed] = useState<string>();
  async function run(text: string, selection: Selection): Promise<void> {
    const { formatSql } = await loadPart(() => import('./format.ts'));
    const part = selectedText(text, selection);
    const formatted = formatSql(part ?? text);
    setFailed(formatted === undefined ? text : undefined);
    if (formatted === undefined) return;
    onChange(
      part === undefined ? formatted : text.slice(0, selection[0]) + formatted + text.slice(selection[1]),
    );
  }
  return { run, fault: failed === undefined ? undefined : 'sql.format-failed' };
}
