/**
 * Tools whose menus are loaded when they are first opened, because most views of a table don't need them. Until a menu
 * is opened, a button with the same appearance is shown.
 */
import { ActionIcon, Button } from '@mantine/core';
import { IconChevronDown, IconColumns, IconDots, IconEye } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { RowView, TableName } from '../../../api/queries.ts';
import type { Relation } from '../../../api/types.ts';
import { lazyPart } from '../../../components/lazy-part.ts';
import type { Staging } from '../edits/staged.ts';
import { t } from '../text.ts';
import type { Columns } from './use-column-layout.ts';

const PersonaPicker = lazyPart(async () => ({
  default: (await import('../../../components/persona/persona-picker.tsx')).PersonaPicker,
}));
const ColumnsMenu = lazyPart(() => import('./columns-menu.tsx'));
const TransferMenu = lazyPart(() => import('../import/transfer-menu.tsx'));

export function TablePersona({
  as,
  onChange,
}: {
  as: string | undefined;
  onChange: (as: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const standIn = (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconEye size={15} aria-hidden />}
      rightSection={<IconChevronDown size={14} aria-hidden />}
      aria-label={t('view-as.label')}
      onClick={() => setOpen(true)}
    >
      {t('view-as.operator')}
    </Button>
  );
  if (as === undefined && !isOpen) return standIn;
  return (
    <Suspense fallback={standIn}>
      <PersonaPicker as={as} onChange={onChange} startsOpen={isOpen} />
    </Suspense>
  );
}

export function ColumnTools(props: { relation: Relation; columns: Columns; staging: Staging | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const label = t('columns.open');
  const standIn = (
    <ActionIcon variant="default" aria-label={label} title={label} onClick={() => setOpen(true)}>
      <IconColumns size={16} aria-hidden />
    </ActionIcon>
  );
  if (!isOpen) return standIn;
  return (
    <Suspense fallback={standIn}>
      <ColumnsMenu {...props} />
    </Suspense>
  );
}

export function TransferTools(props: {
  name: TableName;
  view: RowView;
  canImport: boolean;
  onImport: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const standIn = (
    <ActionIcon
      variant="default"
      aria-label={t('transfer.menu')}
      title={t('transfer.menu')}
      onClick={() => setOpen(true)}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (!isOpen) return standIn;
  return (
    <Suspense fallback={standIn}>
      <TransferMenu {...props} />
    </Suspense>
  );
}
