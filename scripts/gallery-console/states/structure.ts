/** States of the pages that show and change the structure of tables. */
import type { Page } from 'playwright-core';
import { choose, inOrder, press, type State, see } from '../state.ts';

const structurePath = '/tables/public/varieties/structure';

const fill =
  (label: string, text: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('dialog').getByLabel(label).first().fill(text);

const file = choose(
  'CSV or JSON file',
  'Sales 2026.csv',
  'Order No,Sold On,Amount,Zip\nA1,2026-01-01,12.5,01234\nA2,2026-02-01,7,55555\n',
);

/** Waits for the list. Some of its columns are shown only in a wide window. */
const firstRow = (page: Page): Promise<void> => page.getByRole('row').nth(1).waitFor();

export const structure: readonly State[] = [
  { name: 'new-table', path: '/tables/new' },
  { name: 'new-table-file', path: '/tables/new?from=file', act: inOrder(file, see('Sold On')) },
  {
    name: 'new-table-file-review',
    path: '/tables/new?from=file',
    act: inOrder(file, press('Review SQL'), press('Dry run'), see('rows are valid')),
  },
  { name: 'structure', path: structurePath, act: see('Triggers') },
  { name: 'structure-column', path: structurePath, act: press('Edit supplier') },
  {
    name: 'structure-column-review',
    path: structurePath,
    act: inOrder(
      press('Add column'),
      fill('Name', 'weight'),
      fill('Type', 'numeric(6, 2)'),
      press('Review SQL'),
      see('alter table'),
    ),
  },
  { name: 'structure-constraint', path: structurePath, act: press('Add key or check') },
  { name: 'structure-index', path: structurePath, act: press('Add index') },
  { name: 'structure-trigger', path: structurePath, act: press('Add trigger') },
  {
    name: 'structure-drop',
    path: structurePath,
    act: inOrder(press('Drop table', 'Review SQL'), see('to confirm')),
  },
  { name: 'diagram', path: '/tables/diagram', act: see('suppliers') },
  { name: 'diagram-near', path: '/tables/diagram?near=public.varieties', act: see('suppliers') },
  { name: 'diagram-list', path: '/tables/diagram?view=list', act: see('suppliers') },
  { name: 'diagram-table', path: '/tables/diagram?open=public.varieties', act: see('Referenced by') },
  { name: 'database-functions', path: '/database/functions?system=true', act: firstRow },
  {
    name: 'database-function',
    path: '/database/functions?system=true&open=auth.uid()',
    act: see('Run and roll back'),
  },
  { name: 'database-function-new', path: '/database/functions', act: press('New function') },
  { name: 'database-triggers', path: '/database/triggers?system=true', act: see('Fires') },
  { name: 'database-views', path: '/database/views?system=true', act: firstRow },
  { name: 'database-indexes', path: '/database/indexes', act: see('Scans') },
  { name: 'database-index-new', path: '/database/indexes', act: press('New index') },
  { name: 'extensions', path: '/database/extensions', act: see('Installed') },
  {
    name: 'extension-install',
    path: '/database/extensions?filter=citext',
    act: inOrder(press('Install citext'), see('The schema that contains')),
  },
  {
    name: 'extension-drop',
    path: '/database/extensions?filter=pgcrypto',
    act: inOrder(press('Drop pgcrypto'), see('Also drop dependent objects')),
  },
];
