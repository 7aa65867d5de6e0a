/**
 * The components of the structure page: sections and their items, such as columns, constraints, indexes or triggers.
 */
import { ActionIcon, Button } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './structure-page.module.css';
import { t } from './text.ts';

export function Section({
  title,
  tools,
  before,
  isEmpty = false,
  children,
}: {
  title: string;
  tools: ReactNode;
  /** Content above the items. */
  before?: ReactNode;
  isEmpty?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2 className={classes.sectionTitle}>{title}</h2>
        <div className={classes.tools}>{tools}</div>
      </div>
      {before}
      {isEmpty ? (
        <p className={classes.note}>{t('schema.none')}</p>
      ) : (
        <ul className={classes.items}>{children}</ul>
      )}
    </section>
  );
}

export function Item({
  name,
  text,
  tags,
  extra,
  onEdit,
  onDrop,
}: {
  name: string;
  text: string;
  tags?: ReactNode;
  extra?: ReactNode;
  onEdit?: (() => void) | undefined;
  onDrop?: (() => void) | undefined;
}) {
  return (
    <li className={classes.item}>
      <div className={classes.itemMain}>
        <span className={classes.itemName}>{name}</span>
        <span className={classes.tags}>{tags}</span>
        {text === '' ? null : <code className={classes.definition}>{text}</code>}
      </div>
      <div className={classes.tools}>
        {extra}
        {onEdit === undefined ? null : (
          <ActionIcon variant="subtle" color="gray" aria-label={t('schema.edit', { name })} onClick={onEdit}>
            <IconPencil size={15} aria-hidden />
          </ActionIcon>
        )}
        {onDrop === undefined ? null : (
          <ActionIcon variant="subtle" color="gray" aria-label={t('schema.drop', { name })} onClick={onDrop}>
            <IconTrash size={15} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </li>
  );
}

export function AddButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconPlus size={14} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
