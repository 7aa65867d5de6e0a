/**
 * CodeMirror for PostgreSQL. This module is loaded when a page first shows an editor, and contains only the code that
 * typing requires. Undo, language support and completion are loaded right afterward (`sql-words.ts`), and the search
 * panel is loaded on the first search.
 */
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
  tooltips,
} from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef } from 'react';
import { collectTyped } from '../keyboard/typed-ahead.ts';
import { loadPart } from '../lazy-part.ts';
import { styleNonce, theme } from './theme.ts';
import type { SqlEditorHandle, SqlEditorProps } from './types.ts';

const setFault = StateEffect.define<number | null>();

/** Marks the word at the position of PostgreSQL's error until the text is edited. */
const fault = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setFault)) continue;
      if (effect.value === null) return Decoration.none;
      const { doc } = transaction.state;
      const from = Math.min(effect.value, Math.max(0, doc.length - 1));
      const word = /^(?:\w+|.)/u.exec(doc.sliceString(from, from + 200))?.[0] ?? ' ';
      const to = Math.min(doc.length, from + word.length);
      return from < to
        ? Decoration.set([Decoration.mark({ class: 'cm-fault' }).range(from, to)])
        : Decoration.none;
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function search(editor: EditorView): boolean {
  collectTyped();
  void loadPart(() => import('./search.ts')).then((module) => module.openSearch(editor));
  return true;
}

/** Submits the form, as Enter does in other fields. If a completion is selected, Enter accepts it instead. */
const formField = [
  keymap.of([
    {
      key: 'Enter',
      run: (editor) => {
        editor.dom.closest('form')?.requestSubmit();
        return true;
      },
    },
  ]),
  EditorView.theme({ '.cm-content': { padding: '0.375rem 0' }, '.cm-line': { padding: '0 0.75rem' } }),
];

export default function SqlEditor({
  value,
  label,
  names,
  own,
  readOnly = false,
  autoFocus = false,
  isField = false,
  isRequired = false,
  hint,
  describedBy,
  handle,
  onChange,
  onRun,
  onSelection,
}: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const wordsSlot = useRef(new Compartment());
  const words = useRef<typeof import('./sql-words.ts')>(undefined);
  /** Whether the text or the cursor was last changed by typing. */
  const isTyping = useRef(false);
  const latest = useRef({ own, onChange, onRun, onSelection });
  latest.current = { own, onChange, onRun, onSelection };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor stores its own text, and the effects below pass changes to it
  useEffect(() => {
    const editor = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          Prec.highest(
            keymap.of([
              {
                key: 'Mod-Enter',
                run: (editor) => {
                  words.current?.closeCompletion(editor);
                  latest.current.onRun?.();
                  return true;
                },
              },
            ]),
          ),
          isField ? formField : [lineNumbers(), highlightActiveLine()],
          drawSelection(),
          hint === undefined ? [] : placeholder(hint),
          keymap.of([{ key: 'Mod-f', run: search }]),
          wordsSlot.current.of([]),
          fault,
          theme,
          EditorState.readOnly.of(readOnly),
          EditorView.lineWrapping,
          // In the editor's own element, the list of completions would be cut off at the edge of a small editor.
          tooltips({ parent: document.body }),
          // A scrollable area must contain a focusable element. The axe checker requires a tab index even on an
          // editable element.
          EditorView.contentAttributes.of({
            'aria-label': label,
            spellcheck: 'false',
            tabindex: '0',
            ...(isRequired ? { 'aria-required': 'true' } : {}),
            ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
            if (update.selectionSet || update.docChanged) {
              isTyping.current = update.transactions.some((step) => step.isUserEvent('input.type'));
              const { from, to } = update.state.selection.main;
              latest.current.onSelection?.(from, to);
            }
          }),
        ],
      }),
    });
    view.current = editor;
    if (autoFocus) editor.focus();
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    let isCurrent = true;
    void loadPart(() => import('./sql-words.ts')).then((module) => {
      words.current = module;
      const editor = view.current;
      if (!isCurrent || editor === undefined) return;
      editor.dispatch({
        effects: wordsSlot.current.reconfigure(module.sqlWords(names, () => latest.current.own)),
      });
      // A word that was typed before the names arrived is also completed, unless the person has moved on.
      if (isTyping.current && editor.hasFocus) module.completeWord(editor);
    });
    return () => {
      isCurrent = false;
    };
  }, [names]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useImperativeHandle(
    handle,
    (): SqlEditorHandle => ({
      markFault: (at) => view.current?.dispatch({ effects: setFault.of(at) }),
      show(at) {
        const editor = view.current;
        if (editor === undefined) return;
        const anchor = Math.min(at, editor.state.doc.length);
        editor.dispatch({ selection: { anchor }, scrollIntoView: true });
        editor.focus();
      },
    }),
    [],
  );

  return <div ref={host} style={{ height: '100%' }} />;
}
