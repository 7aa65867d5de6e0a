/** The menu for importing and exporting rows. */

import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconDownload, IconUpload } from '@tabler/icons-react';
import { exportUrl, type RowView, type TableName } from '../../../api/queries.ts';
import { menuProps } from '../../../components/keyboard/menu-props.ts';
import { PopupLayer } from '../../../components/keyboard/modal-layer.ts';
import { t } from '../text.ts';

const files = [
  { text: 'transfer.csv', format: 'csv' },
  { text: 'transfer.csv-exact', format: 'csv', guarded: false },
  { text: 'transfer.json', format: 'json' },
] as const;

export default function TransferMenu({
  name,
  view,
  canImport,
  onImport,
}: {
  name: TableName;
  view: RowView;
  canImport: boolean;
  onImport: () => void;
}) {
  return (
    <Menu {...menuProps} defaultOpened position="bottom-end" shadow="md" transitionProps={{ duration: 100 }}>
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('transfer.menu')} title={t('transfer.menu')}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <PopupLayer />
        {canImport ? (
          <Menu.Item leftSection={<IconUpload size={15} aria-hidden />} onClick={onImport}>
            {t('transfer.import')}
          </Menu.Item>
        ) : null}
        {files.map(({ text, ...file }) => (
          <Menu.Item
            key={text}
            component="a"
            href={exportUrl(name, view, file)}
            download
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            {t(text)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
