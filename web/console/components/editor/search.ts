import {
  highlightSelectionMatches,
  openSearchPanel,
  SearchQuery,
  searchKeymap,
  searchPanelOpen,
  setSearchQuery,
} from '@codemirror/search';
import { StateEffect, StateField } from '@codemirror/state';
import { type EditorView, keymap, ViewPlugin } from '@codemirror/view';
import { openLayer } from '../keyboard/modal-layer.ts';
import { takeTyped } from '../keyboard/typed-ahead.ts';

/** Whether the search panel has been added to the editor. */
const added = StateField.define<true>({ create: () => true, update: () => true });

/** Makes the search panel a layer, so that Escape closes only the search. */
const searchLayer = ViewPlugin.define((editor) => {
  let close: (() => void) | undefined;
  const update = (isOpen: boolean): void => {
    if (isOpen) close ??= openLayer();
    else {
      close?.();
      close = undefined;
    }
  };
  update(searchPanelOpen(editor.state));
  return { update: ({ state }) => update(searchPanelOpen(state)), destroy: () => close?.() };
});

export function openSearch(editor: EditorView): void {
  if (editor.state.field(added, false) === undefined)
    editor.dispatch({
      effects: StateEffect.appendConfig.of([
        added,
        searchLayer,
        highlightSelectionMatches(),
        keymap.of(searchKeymap),
      ]),
    });
  openSearchPanel(editor);
  const typed = takeTyped();
  if (typed !== '') editor.dispatch({ effects: setSearchQuery.of(new SearchQuery({ search: typed })) });
}
