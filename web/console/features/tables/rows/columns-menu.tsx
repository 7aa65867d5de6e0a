/** Lets the operator choose which columns are shown and pinned, their order, and the height of the rows. */
import { ActionIcon, Button, Popover } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconColumns, IconPin, IconPinFilled } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Relation } from '../../../api/types.ts';
import { PopupLayer } from '../../../components/keyboard/modal-layer.ts';
import { commandKey } from '../../../layout/use-shortcuts.ts';
import type { Staging } from '../edits/staged.ts';
import { type Density, orderedNames, withHidden, withMoved, withPinned } from '../grid/columns.ts';
import { t } from '../rows-text.ts';
import classes from './columns-menu.module.css';
import type { Columns } from './use-column-layout.ts';

const densities: readonly Density[] = ['comfortable', 'compact'];

export default function ColumnsMenu({
  relation,
  columns,
  staging,
}: {
  relation: Relation;
  columns: Columns;
  /** Undefined if the operator can't edit rows. */
  staging: Staging | undefined;
}) {
  const [isOpen, setOpen] = useState(true);
  const { shown, layout, change, reset } = columns;
  const names = orderedNames(relation.columns, layout);
  const densityId = useId();
  const savingId = useId();
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      withinPortal
      shadow="md"
      trapFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <ActionIcon
          variant={layout.hidden.length > 0 ? 'light' : 'default'}
          aria-label={t('columns.open')}
          title={t('columns.open')}
          onClick={() => setOpen(!isOpen)}
        >
          <IconColumns size={16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('columns.title')} className={classes.dropdown}>
        <PopupLayer />
        <ul className={classes.list}>
          {names.map((name, index) => {
            const isShown = shown.some((column) => column.name === name);
            const isPinned = shown.some((column) => column.name === name && column.isPinned);
            return (
              <li key={name} className={classes.item}>
                <label className={classes.label}>
                  <input
                    type="checkbox"
                    aria-label={t('columns.show', { column: name })}
                    checked={isShown}
                    // The grid needs at least one column.
                    disabled={isShown && shown.length === 1}
                    onChange={() => change(withHidden(layout, name, isShown))}
                  />
                  <span className={classes.name}>{name}</span>
                </label>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  aria-label={t('columns.pin', { column: name })}
                  title={t('columns.pin', { column: name })}
                  aria-pressed={isPinned}
                  disabled={!isShown}
                  onClick={() => change(withPinned(layout, shown, name, !isPinned))}
                >
                  {isPinned ? <IconPinFilled size={14} aria-hidden /> : <IconPin size={14} aria-hidden />}
                </ActionIcon>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  aria-label={t('columns.up', { column: name })}
                  disabled={index === 0}
                  onClick={() => change(withMoved(layout, relation.columns, name, names[index - 1] ?? name))}
                >
                  <IconArrowUp size={14} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  aria-label={t('columns.down', { column: name })}
                  disabled={index === names.length - 1}
                  onClick={() => change(withMoved(layout, relation.columns, name, names[index + 1] ?? name))}
                >
                  <IconArrowDown size={14} aria-hidden />
                </ActionIcon>
              </li>
            );
          })}
        </ul>
        <div className={classes.density} role="radiogroup" aria-labelledby={densityId}>
          <span id={densityId} className={classes.heading}>
            {t('columns.density')}
          </span>
          {densities.map((density) => (
            <label key={density} className={classes.label}>
              <input
                type="radio"
                name={densityId}
                checked={layout.density === density}
                onChange={() => change({ ...layout, density })}
              />
              {t(`columns.${density}`)}
            </label>
          ))}
        </div>
        {staging === undefined ? null : (
          <div className={classes.density} role="radiogroup" aria-labelledby={savingId}>
            <span id={savingId} className={classes.heading}>
              {t('columns.saving')}
            </span>
            {([false, true] as const).map((isOn) => (
              <label key={String(isOn)} className={classes.label}>
                <input
                  type="radio"
                  name={savingId}
                  checked={staging.isOn === isOn}
                  disabled={staging.cells > 0}
                  onChange={() => staging.turn(isOn)}
                />
                {isOn ? t('columns.saving-together', { keys: `${commandKey}S` }) : t('columns.saving-each')}
              </label>
            ))}
          </div>
        )}
        <div className={classes.foot}>
          <span className={classes.hint}>{t('columns.kept')}</span>
          <Button size="compact-sm" variant="default" onClick={reset}>
            {t('columns.reset')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
