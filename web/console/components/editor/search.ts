import { highlightSelectionMatches, openSearchPanel, searchKeymap } from '@codemirror/search';
import { StateEffect, StateField } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';

/** Whether the search panel has been added to the editor. */
const added = StateField.define<true>({ create: () => true, update: () => true });

export function openSearch(editor: EditorView): void {
  if (editor.state.field(added, false) === undefined)
    editor.dispatch({
      effects: StateEffect.appendConfig.of([added, highlightSelectionMatches(), keymap.of(searchKeymap)]),
    });
  openSearchPanel(editor);
}
