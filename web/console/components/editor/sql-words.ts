/**
 * The parts of the editor that typing doesn't require, so they are loaded after the editor appears: undo, the key
 * commands, highlighting, bracket matching, and completion with the project's names.
 */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { type EditorView, keymap, ViewPlugin } from '@codemirror/view';
import { openLayer } from '../keyboard/modal-layer.ts';
import { tablesInScope } from './columns-in-scope.ts';
import { highlight } from './highlight.ts';
import type { OwnTable, SqlNames } from './types.ts';

export { closeCompletion };

/**
 * Makes the list of completions a layer, so that Escape closes only the list and not the surrounding panel. A search
 * for completions can still be running when the focus leaves. Its list is closed, because without the focus the editor
 * would never receive the Escape key that closes it.
 */
const completionLayer = ViewPlugin.define(() => {
  let close: (() => void) | undefined;
  return {
    update({ state, view }) {
      const hasCompletions = completionStatus(state) !== null;
      if (hasCompletions && view.hasFocus) close ??= openLayer();
      else {
        // During an update, an editor refuses another one.
        if (hasCompletions) queueMicrotask(() => closeCompletion(view));
        close?.();
        close = undefined;
      }
    },
    destroy: () => close?.(),
  };
});

/** Offers completions if the cursor is at the end of a word. */
export function completeWord(editor: EditorView): void {
  const { state } = editor;
  const { head } = state.selection.main;
  if (/\w/.test(state.sliceDoc(Math.max(0, head - 1), head))) startCompletion(editor);
}

/** The extensions that don't depend on the project's names. When the names change, the undo history is kept. */
const commands: Extension = [
  history(),
  indentOnInput(),
  bracketMatching(),
  syntaxHighlighting(highlight),
  // Tab moves the focus out of the editor. Otherwise, keyboard users couldn't leave the editor.
  keymap.of([...defaultKeymap, ...historyKeymap]),
];

/** Returns the part of the editor's configuration that is replaced when the project's names change. */
export function sqlWords(names: SqlNames | undefined, ownTable: () => OwnTable | undefined): Extension {
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
    commands,
    closeBrackets(),
    autocompletion({ icons: false }),
    completionLayer,
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
    PostgreSQL.language.data.of({
      autocomplete: (context: CompletionContext) => {
        const before = context.matchBefore(/[\w]+/);
        if (names === undefined) return null;
        const own = ownTable();
        const isOfRow = own?.isTrigger === true && context.matchBefore(/\b(?:new|old)\.\w*/i) !== null;
        if (before === null && !context.explicit && !isOfRow) return null;
        // After a dot, the completion of the language support offers the columns of that table.
        if (!isOfRow && context.matchBefore(/\.\s*\w*/) !== null) return null;
        const text = context.state.doc.toString();
        const tables = tablesInScope(
          text,
          context.pos,
          names,
          own?.isTrigger === true && !isOfRow ? undefined : own,
        );
        const columns = new Map([
          ...(own?.columns ?? []).map((column) => [column, own?.table ?? ''] as const),
          ...tables.flatMap(({ name: table, columns: all }) => all.map((column) => [column, table] as const)),
        ]);
        return {
          from: before?.from ?? context.pos,
          options: [...columns].map(
            // Columns are more likely than the keywords and functions with the same first letters.
            ([label, detail]): Completion => ({
              label,
              detail,
              type: 'property',
              boost: 50,
              ...(/^[a-z_][a-z0-9_]*$/.test(label) ? {} : { apply: `"${label.replaceAll('"', '""')}"` }),
            }),
          ),
          validFor: /^\w*$/,
        };
      },
    }),
  ];
}
