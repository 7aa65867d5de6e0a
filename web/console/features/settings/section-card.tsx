/** Shows the settings of one section. If the project chooses the names in this section, the operator can add a name. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { type Change, keyOf, type Section, type Setting, type SettingValue } from './api.ts';
import { SettingField } from './field.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

export function SectionCard({
  section,
  changes,
  mayWrite,
  onChange,
}: {
  section: Section;
  changes: ReadonlyMap<string, Change>;
  mayWrite: boolean;
  onChange: (setting: Setting, value: SettingValue | null) => void;
}) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const present = new Set(section.settings.map(nameIn(section)));
  // A name that was added is kept while the operator views another section.
  const pending = [...changes.values()]
    .filter(({ file, path }) => file === section.file && startsWith(path, section.path))
    .map(nameIn(section));
  const names =
    section.names === undefined
      ? []
      : [...new Set([...pending, ...added])].filter((name) => !present.has(name));
  const settings = [...section.settings, ...names.flatMap((name) => settingsOfName(section, name))];
  return (
    <Card title={titleOf(section)} text={section.help}>
      {settings.map((setting) => {
        const changed = changes.get(keyOf(setting));
        return (
          <SettingField
            key={keyOf(setting)}
            setting={setting}
            value={changed === undefined ? setting.value : changed.value}
            isChanged={changed !== undefined}
            mayWrite={mayWrite}
            onChange={(value) => onChange(setting, value)}
          />
        );
      })}
      {section.names === undefined ? null : settings.length === 0 && !mayWrite ? (
        <p>{t('settings.names-none')}</p>
      ) : mayWrite ? (
        <AddName names={section.names} onAdd={(name) => setAdded((previous) => [...previous, name])} />
      ) : null}
    </Card>
  );
}

function AddName({ names, onAdd }: { names: NonNullable<Section['names']>; onAdd: (name: string) => void }) {
  const [text, setText] = useState('');
  const [isBad, setBad] = useState(false);
  const name = names.upperCase ? text.trim().toUpperCase() : text.trim();
  const label = t('settings.names-name', { placeholder: names.placeholder });
  return (
    <form
      className={classes.inline}
      onSubmit={(event) => {
        event.preventDefault();
        const isGood = name !== '' && name !== '__proto__' && new RegExp(names.pattern).test(name);
        setBad(!isGood);
        if (!isGood) return;
        onAdd(name);
        setText('');
      }}
    >
      <TextInput
        size="xs"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={text}
        error={isBad ? t('settings.names-bad') : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default">
        {t('settings.names-add')}
      </Button>
    </form>
  );
}

const nameIn =
  ({ path: above }: Section) =>
  ({ path }: Pick<Setting, 'path'>): string =>
    path[above.length] ?? '';

/**
 * Whether the setting is directly in this table of user-chosen names, not in a table nested below one of the names
 * (`functions.hello.env`).
 */
const startsWith = (path: readonly string[], above: readonly string[]): boolean =>
  path.length > above.length && above.every((part, index) => path[index] === part);

const settingsOfName = ({ names, path: above }: Section, name: string): Setting[] =>
  (names?.settings ?? []).map((one) => ({
    ...one,
    path: [...above, name, ...one.path.slice(above.length + 1)],
    value: null,
    isSet: false,
  }));

/** Returns the path of the table as it appears in the file. Both files can contain a table with the same path. */
function titleOf({ file, path, names }: Section): string {
  const written = names === undefined ? path : [...path, names.placeholder];
  const table = path.length === 0 ? t('settings.other') : `[${written.join('.')}]`;
  return file === 'config.toml' ? table : `${table} · ${file}`;
}
