/** Lists every popup of the web app, so that a new popup can't be added without a layer that Escape closes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Code that opens something on top of the page. */
const opens =
  /<(?:Modal|Drawer|Popover|Menu|Select|MultiSelect|Combobox|Autocomplete|TagsInput|HoverCard|Spotlight)\b(?!\.(?!Root))|<\w*Date\w*(?:Input|Picker)\b.*@mantine|createPortal\(|autocompletion\(|openSearchPanel\(|role="(?:menu|listbox|dialog)"|showPopover\(|showModal\(/;

/** The popups, with the function that adds their layer. */
const popups: Readonly<Record<string, string>> = {
  'console/components/action-menu.tsx': 'PopupLayer',
  'console/components/dialog.tsx': 'useModalLayer',
  'console/components/editor/search.ts': 'openLayer',
  'console/components/editor/sql-words.ts': 'openLayer',
  'console/components/persona/persona-picker.tsx': 'PopupLayer',
  'console/components/frame/side-panel.tsx': 'useModalLayer',
  'console/components/search-select.tsx': 'usePopupLayer',
  'console/features/operators/people-table.tsx': 'PopupLayer',
  'console/features/tables/rows/columns-menu.tsx': 'PopupLayer',
  'console/features/tables/fields/reference-editor.tsx': 'usePopupLayer',
  'console/features/tables/grid/cells/cell-popup.tsx': 'usePopupLayer',
  'console/features/tables/grid/cells/context-menu.tsx': 'usePopupLayer',
  'console/features/tables/import/transfer-menu.tsx': 'PopupLayer',
  'console/layout/menu-drawer.tsx': 'useModalLayer',
  'console/layout/palette/search-dialog.tsx': 'useModalLayer',
  'console/layout/signed-out.tsx': 'useModalLayer',
};

/** Editors that close on Escape without opening anything on top of the page. */
const editors: Readonly<Record<string, string>> = {
  'console/features/tables/grid/cells/cell-editor.tsx': 'usePopupLayer',
};

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /^(?:console|ui)\/.*\.tsx?$/.test(path) && !path.endsWith('.test.ts'));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

test('every popup is listed', () => {
  expect(sources.filter((path) => opens.test(textOf(path))).sort()).toEqual(Object.keys(popups).sort());
});

test.each(Object.entries({ ...popups, ...editors }))('%s adds a layer with %s', (path, layer) => {
  expect(textOf(path)).toMatch(new RegExp(`${layer}\\(|<${layer} />`));
});

test('no component decides by itself whether Escape reaches the dialog below', () => {
  expect(sources.filter((path) => textOf(path).includes('data-mantine-stop-propagation'))).toEqual([]);
});
