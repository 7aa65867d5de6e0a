import { Modal } from '@mantine/core';
import { type TextId, t } from '../text.ts';
import { menu } from './menu.ts';
import classes from './shortcut-list.module.css';
import { commandKey } from './use-shortcuts.ts';

type Shortcut = readonly [keys: readonly string[], label: TextId];

const everywhere: readonly Shortcut[] = [
  [[`${commandKey}K`], 'palette.open'],
  [['?'], 'shortcuts.title'],
  ...menu.map(({ key, label }) => [['g', key], label] as const),
];

const inGrid: readonly Shortcut[] = [
  [['←', '↑', '↓', '→'], 'shortcuts.move'],
  [['Home', 'End'], 'shortcuts.row-ends'],
  [[`${commandKey}Home`, `${commandKey}End`], 'shortcuts.grid-ends'],
  [['PgUp', 'PgDn'], 'shortcuts.pages'],
  [['Enter', 'F2'], 'shortcuts.edit'],
  [['Esc'], 'shortcuts.cancel'],
  [['Tab'], 'shortcuts.save-next'],
  [['↓'], 'shortcuts.null'],
  [['Space'], 'shortcuts.select'],
  [['Shift', 'Enter'], 'shortcuts.open-row'],
  [['Shift', '↓'], 'shortcuts.range'],
  [[`${commandKey}C`], 'shortcuts.copy'],
  [[`${commandKey}V`], 'shortcuts.paste'],
  [['Alt', 'Enter'], 'shortcuts.peek'],
  [[`${commandKey}Z`], 'shortcuts.undo'],
];

export default function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('shortcuts.title')}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
    >
      <div className={classes.columns}>
        <Section title={t('shortcuts.everywhere')} items={everywhere} />
        <Section title={t('shortcuts.in-grid')} items={inGrid} />
      </div>
    </Modal>
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
