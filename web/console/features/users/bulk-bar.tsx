/** The actions on selected users, or on all users that match the filters. */
import { Button } from '@mantine/core';
import { IconBan, IconBraces, IconCircleCheck, IconLogout, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { UserCount } from '../../../../src/pages/console/users/contract.ts';
import { ActionMenu } from '../../components/action-menu.tsx';
import type { BulkAction } from './api.ts';
import classes from './bulk.module.css';
import { BulkDialog } from './bulk-dialog.tsx';
import type { UsersSearch } from './search.ts';
import { t } from './text.ts';

const kinds = [
  ['ban', IconBan],
  ['unban', IconCircleCheck],
  ['sign-out', IconLogout],
  ['app-metadata', IconBraces],
  ['delete', IconTrash],
] as const;

export function BulkBar({
  selected,
  isPageSelected,
  total,
  search,
  onClear,
}: {
  selected: ReadonlySet<string>;
  isPageSelected: boolean;
  total: UserCount | undefined;
  search: UsersSearch;
  onClear: () => void;
}) {
  const [isAll, setAll] = useState(false);
  const [kind, setKind] = useState<BulkAction['kind']>();
  const hasMore = total !== undefined && total.count > selected.size;
  return (
    <section className={classes.bar} aria-label={t('bulk.label')}>
      <span role="status" className={classes.count}>
        {isAll && total !== undefined
          ? t(`bulk.all-${total.precision}`, { count: total.count })
          : t('bulk.selected', { count: selected.size })}
      </span>
      {isPageSelected && hasMore && !isAll ? (
        <Button size="compact-sm" variant="subtle" onClick={() => setAll(true)}>
          {t(`bulk.select-all-${total.precision}`, { count: total.count })}
        </Button>
      ) : null}
      <span className={classes.barEnd}>
        <ActionMenu
          label={t('bulk.actions')}
          actions={kinds.map(([name, Icon]) => ({
            label: t(`bulk.${name}`),
            icon: <Icon size={15} aria-hidden />,
            isDanger: name === 'delete',
            onChoose: () => setKind(name),
          }))}
        />
        <Button size="compact-sm" variant="default" onClick={onClear}>
          {t('bulk.clear')}
        </Button>
      </span>
      {kind === undefined ? null : (
        <BulkDialog
          kind={kind}
          selected={isAll ? undefined : [...selected]}
          search={search}
          onClose={(hasRun) => {
            setKind(undefined);
            if (hasRun) onClear();
          }}
        />
      )}
    </section>
  );
}
