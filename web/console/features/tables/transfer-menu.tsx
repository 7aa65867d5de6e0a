/** Import and export of rows. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconDownload, IconUpload } from '@tabler/icons-react';
import { exportUrl, type RowView, type TableName } from '../../api/queries.ts';
import { t } from './text.ts';

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
    <Menu defaultOpened position="bottom-end" withinPortal shadow="md" transitionProps={{ duration: 100 }}>
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('transfer.menu')} title={t('transfer.menu')}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {canImport ? (
          <Menu.Item leftSection={<IconUpload size={15} aria-hidden />} onClick={onImport}>
            {t('transfer.import')}
          </Menu.Item>
        ) : null}
        {(['csv', 'json'] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportUrl(name, view, format)}
            download
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            {t(`transfer.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
