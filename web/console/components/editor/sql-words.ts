/**
 * The editor's support for SQL, which provides highlighting, completion with the project's names and bracket matching.
 */
import {
  autocompletion,
  type Completion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import type { SqlNames } from './types.ts';

export { closeCompletion } from '@codemirror/autocomplete';

/** Returns the part of the editor's configuration that is replaced when the project's names change. */
export function sqlWords(names: SqlNames | undefined): Extension {
  const schema: Record<string, SQLNamespace> = {};
  for (const { schema: name, name: table, columns } of names?.tables ?? []) {
    schema[name] = { ...(schema[name] as Record<string, SQLNamespace>), [table]: [...columns] };
  }
  const functions: Completion[] = (names?.functions ?? []).map(({ name, detail }) => ({
    label: name,
    detail,
    type: 'function',
    apply: `${name}(`,
  }));
  return [
    closeBrackets(),
    autocompletion({ icons: false }),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    sql({ dialect: PostgreSQL, schema, defaultSchema: 'public' }),
    PostgreSQL.language.data.of({
      autocomplete: (context: {
        matchBefore(pattern: RegExp): { from: number; to: number } | null;
        explicit: boolean;
      }) => {
        const before = context.matchBefore(/[\w.]+/);
        if (before === null && !context.explicit) return null;
        return { from: before?.from ?? 0, options: functions, validFor: /^[\w.]*$/ };
      },
    }),
  ];
}
