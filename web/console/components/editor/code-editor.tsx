/** CodeMirror for the files of a function. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { loadPart } from '../lazy-part.ts';
import { highlight } from './highlight.ts';
import { languageOf } from './script-language.ts';
import { styleNonce, theme } from './theme.ts';

function search(editor: EditorView): boolean {
  void loadPart(() => import('./search.ts')).then((module) => module.openSearch(editor));
  return true;
}

export default function CodeEditor({
  value,
  path,
  readOnly,
  cursor,
  onChange,
  onSave,
}: {
  value: string;
  /** The path of the file, which names the editor and determines the language. */
  path: string;
  readOnly: boolean;
  /** The position to show, such as that of an error. Lines and columns start at 1. */
  cursor?: { readonly line: number; readonly column: number } | undefined;
  onChange: (value: string) => void;
  /** Called on Ctrl+S or Cmd+S. */
  onSave: () => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ onChange, onSave });
  latest.current = { onChange, onSave };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor stores its own text, and an effect below passes changes to it
  useEffect(() => {
    const language = languageOf(path);
    const editor = new EditorView({
      parent: host.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          Prec.highest(
            keymap.of([
              {
                key: 'Mod-s',
                preventDefault: true,
                run: () => {
                  latest.current.onSave();
                  return true;
                },
              },
            ]),
          ),
          lineNumbers(),
          drawSelection(),
          highlightActiveLine(),
          history(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          closeBrackets(),
          language ?? [],
          syntaxHighlighting(highlight),
          // Tab moves the focus out of the editor. Otherwise, keyboard users couldn't leave the editor.
          keymap.of([
            { key: 'Mod-f', run: search },
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          theme,
          EditorState.readOnly.of(readOnly),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': path, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || cursor === undefined) return;
    const { doc } = editor.state;
    const line = doc.line(Math.min(doc.lines, Math.max(1, cursor.line)));
    const anchor = Math.min(line.to, line.from + cursor.column - 1);
    editor.dispatch({ selection: { anchor }, scrollIntoView: true });
    editor.focus();
  }, [cursor]);

  return <div ref={host} style={{ height: '100%' }} />;
}
