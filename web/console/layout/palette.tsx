/** A search for pages and tables, which is loaded when it is first opened. */
import '@mantine/core/styles/Combobox.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconKeyboard, IconSearch, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { tablesQuery } from '../api/queries.ts';
import { t } from '../text.ts';
import { menu } from './menu.ts';

const [store, actions] = createSpotlight();
const shownActions = 12;

export default function Palette({ opens, onShortcuts }: { opens: number; onShortcuts: () => void }) {
  const navigate = useNavigate();
  const { data: tables = [] } = useQuery(tablesQuery);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens the palette again
  useEffect(() => actions.open(), [opens]);

  const ownFirst = [...tables].sort(
    (left, right) => Number(right.schema === 'public') - Number(left.schema === 'public'),
  );
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('palette.pages'),
      actions: [
        ...menu.map(({ to, label, Icon }) => ({
          id: to,
          label: t(label),
          leftSection: <Icon size={18} stroke={1.75} aria-hidden />,
          onClick: () => void navigate({ to }),
        })),
        {
          id: 'shortcuts',
          label: t('shortcuts.title'),
          leftSection: <IconKeyboard size={18} stroke={1.75} aria-hidden />,
          onClick: onShortcuts,
        },
      ],
    },
    {
      group: t('palette.tables'),
      actions: ownFirst.map(({ schema, name }) => ({
        id: `table:${schema}.${name}`,
        label: schema === 'public' ? name : `${schema}.${name}`,
        leftSection: <IconTable size={18} stroke={1.75} aria-hidden />,
        onClick: () =>
          void navigate({ to: '/tables/$schema/$table', params: { schema, table: name }, search: {} }),
      })),
    },
  ];
  return (
    <Spotlight
      store={store}
      actions={groups}
      limit={shownActions}
      shortcut={null}
      scrollable
      maxHeight="24rem"
      lockScroll={false}
      highlightQuery
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      nothingFound={t('palette.nothing')}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t('palette.placeholder'),
        'aria-label': t('palette.open'),
      }}
    />
  );
}
