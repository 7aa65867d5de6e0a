import {
  highlightSelectionMatches,
  openSearchPanel,
  SearchQuery,
  searchKeymap,
  setSearchQuery,
} from '@codemirror/search';
import { StateEffect, StateField } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import { takeTyped } from '../typed-ahead.ts';

/** Whether the search panel has been added to the editor. */
const added = StateField.define<true>({ create: () => true, update: () => true });

export function openSearch(editor: EditorView): void {
  if (editor.state.field(added, false) === undefined)
    editor.dispatch({
      effects: StateEffect.appendConfig.of([added, highlightSelectionMatches(), keymap.of(searchKeymap)]),
    });
  openSearchPanel(editor);
  const typed = takeTyped();
  if (typed !== '') editor.dispatch({ effects: setSearchQuery.of(new SearchQuery({ search: typed })) });
}
