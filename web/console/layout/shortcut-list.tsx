import { Switch } from '@mantine/core';
import '@mantine/core/styles/Switch.layer.css';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { areKeysOn, turnKeys } from '../components/keyboard/single-keys.ts';
import { type TextId, t } from '../text.ts';
import { useMenu } from './menu.ts';
import classes from './shortcut-list.module.css';
import { commandKey } from './use-shortcuts.ts';

type Shortcut = readonly [keys: readonly string[], label: TextId];

const everywhere: readonly Shortcut[] = [
  [[`${commandKey}K`], 'palette.open'],
  [['?'], 'shortcuts.title'],
];

const inList: readonly Shortcut[] = [
  [['↑', '↓'], 'shortcuts.list-move'],
  [['→'], 'shortcuts.list-open'],
  [['Enter'], 'shortcuts.list-rows'],
  [['j', 'k'], 'shortcuts.users'],
];

const inGrid: readonly Shortcut[] = [
  [['←', '↑', '↓', '→'], 'shortcuts.move'],
  [['Home', 'End'], 'shortcuts.row-ends'],
  [[`${commandKey}Home`, `${commandKey}End`], 'shortcuts.grid-ends'],
  [['PgUp', 'PgDn'], 'shortcuts.pages'],
  [['Enter', 'F2'], 'shortcuts.edit'],
  [['Esc'], 'shortcuts.cancel'],
  [['Esc'], 'shortcuts.leave'],
  [['Tab'], 'shortcuts.save-next'],
  [['↓'], 'shortcuts.null'],
  [['Space'], 'shortcuts.select'],
  [['Shift Enter'], 'shortcuts.open-row'],
  [['Shift ↓'], 'shortcuts.range'],
  [[`${commandKey}C`], 'shortcuts.copy'],
  [[`${commandKey}V`], 'shortcuts.paste'],
  [['Alt Enter'], 'shortcuts.peek'],
  [['Delete'], 'shortcuts.delete'],
  [[`${commandKey}Z`], 'shortcuts.undo'],
  [[`${commandKey}S`], 'shortcuts.save-all'],
  [['Shift F10'], 'shortcuts.menu'],
];

const inHeader: readonly Shortcut[] = [
  [['Enter'], 'shortcuts.sort'],
  [['Shift →'], 'shortcuts.widen'],
  [[`${commandKey}Shift →`], 'shortcuts.reorder'],
  [['Shift F10'], 'shortcuts.menu'],
];

const inDiagram: readonly Shortcut[] = [
  [['→'], 'shortcuts.diagram-references'],
  [['↓'], 'shortcuts.diagram-order'],
  [['Shift ↓'], 'shortcuts.diagram-move'],
  [['+', '−', '0'], 'shortcuts.diagram-zoom'],
];

const inSql: readonly Shortcut[] = [
  [[`${commandKey}Enter`], 'shortcuts.run'],
  [[`${commandKey}F`], 'shortcuts.find'],
];

export default function ShortcutList({ onClose }: { onClose: () => void }) {
  const pages = useMenu().map(({ key, label }): Shortcut => [['g', key], label]);
  return (
    <Dialog onClose={onClose} size="xl" title={t('shortcuts.title')}>
      <div className={classes.columns}>
        <div className={classes.sections}>
          <Section title={t('shortcuts.everywhere')} items={[...everywhere, ...pages]} />
          <Section title={t('shortcuts.in-list')} items={inList} />
        </div>
        <div className={classes.sections}>
          <Section title={t('shortcuts.in-grid')} items={inGrid} />
          <Section title={t('shortcuts.in-header')} items={inHeader} />
          <Section title={t('shortcuts.in-diagram')} items={inDiagram} />
          <Section title={t('shortcuts.in-sql')} items={inSql} />
        </div>
      </div>
      <SingleKeys />
    </Dialog>
  );
}

/**
 * Turns off the shortcuts without Ctrl, because speech input can trigger them by accident (WCAG 2.2, success criterion
 * 2.1.4).
 */
function SingleKeys() {
  const [isOn, setOn] = useState(areKeysOn);
  return (
    <Switch
      className={classes.single}
      label={t('shortcuts.single')}
      description={t('shortcuts.single-help')}
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => {
        turnKeys(checked);
        setOn(checked);
      }}
    />
  );
}

function Section({ title, items }: { title: string; items: readonly Shortcut[] }) {
  return (
    <section>
      <h3 className={classes.title}>{title}</h3>
      <dl className={classes.list}>
        {items.map(([keys, label]) => (
          <div key={`${keys.join()}${label}`} className={classes.row}>
            <dt>{t(label)}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
