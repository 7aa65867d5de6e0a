/** Shows the parts of a settings page as cards. Rarely used parts are collapsed. */
import { Button, TextInput } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Tag } from '../../components/tag.tsx';
import { keyOf, type Part, type Section, type Setting } from './api.ts';
import { SettingField, Words } from './field.tsx';
import { fieldId, type SettingsForm, useSettingsForm } from './form.ts';
import classes from './parts.module.css';
import { TestMail, TestText } from './test-messages.tsx';
import { t } from './text.ts';
import { absent } from './use-form.ts';

export function PartCard({ part }: { part: Part }) {
  const form = useSettingsForm();
  const body = (
    <>
      {part.names === null ? (
        part.keys.map((key) => {
          const setting = form.settingOf(key);
          return setting === undefined ? null : <SettingField key={key} setting={setting} />;
        })
      ) : (
        <Tables path={part.names} />
      )}
      {part.panel?.kind === 'test-mail' ? <TestMail /> : null}
      {part.panel?.kind === 'test-text' ? <TestText /> : null}
    </>
  );
  if (part.isRare)
    return (
      <Collapsed title={part.title ?? ''} text={part.text} status={<Count keys={part.keys} />}>
        {body}
      </Collapsed>
    );
  return (
    <section className={classes.card} aria-label={part.title ?? t('settings.main-part')}>
      {part.title === null ? null : (
        <header className={classes.head}>
          <h3>{part.title}</h3>
          {part.text === null ? null : (
            <p>
              <Words text={part.text} />
            </p>
          )}
        </header>
      )}
      {body}
    </section>
  );
}

/** A card that the operator opens. The card is open from the start if it contains the setting that was searched for. */
export function Collapsed({
  title,
  text = null,
  status,
  action,
  isOpen = false,
  children,
}: {
  title: string;
  text?: string | null;
  status?: ReactNode;
  /**
   * A control at the end of the title. The control isn't part of the summary, because pressing the control must not
   * open the card.
   */
  action?: ReactNode;
  isOpen?: boolean;
  children: ReactNode;
}) {
  const card = (
    <details className={classes.card} open={isOpen}>
      <summary className={classes.summary}>
        <IconChevronRight className={classes.chevron} size={16} aria-hidden />
        <h3>{title}</h3>
        {status}
      </summary>
      {text === null ? null : (
        <p className={classes.text}>
          <Words text={text} />
        </p>
      )}
      {children}
    </details>
  );
  return action === undefined ? (
    card
  ) : (
    <div className={classes.withAction}>
      {card}
      <div className={classes.action}>{action}</div>
    </div>
  );
}

/** Shows how many settings of a collapsed part are in the files and how many are changed or invalid. */
export function Count({ keys }: { keys: readonly string[] }) {
  const form = useSettingsForm();
  const changed = keys.filter(form.isChanged).length;
  const faults = keys.filter((key) => form.faultOf(key) !== undefined).length;
  const set = keys.filter((key) => form.settingOf(key)?.isSet).length;
  if (faults > 0) return <Tag tone="danger">{t('settings.faults', { count: faults })}</Tag>;
  if (changed > 0) return <Tag tone="info">{t('settings.changes', { count: changed })}</Tag>;
  return set > 0 ? <Tag>{t('settings.set-count', { count: set })}</Tag> : null;
}

/** Shows the configuration tables whose names users choose, such as the tables of functions. */
function Tables({ path }: { path: string }) {
  const tables = useSettingsForm().tablesOf(path);
  if (tables.length === 0) return <p className={classes.empty}>{t('settings.names-none')}</p>;
  return tables.map((section) => (
    <NamesTable key={section.path.join('.')} section={section} isOnly={tables.length === 1} path={path} />
  ));
}

function NamesTable({ section, isOnly, path }: { section: Section; isOnly: boolean; path: string }) {
  const form = useSettingsForm();
  const [added, setAdded] = useState<readonly string[]>([]);
  const { names } = section;
  if (names === undefined) return null;
  const all = namesIn(section, form, added);
  return (
    <>
      {isOnly ? null : (
        <h4 className={classes.name}>
          <code>{section.path.join('.')}</code>
        </h4>
      )}
      {all.length === 0 ? <p className={classes.empty}>{t('settings.names-none')}</p> : null}
      {all.map((name) => (
        <section key={name} aria-label={name}>
          <h4 className={classes.name}>
            <code>{name}</code>
          </h4>
          {settingsOf(section, name, form).map((setting) => (
            <SettingField key={keyOf(setting)} setting={setting} />
          ))}
        </section>
      ))}
      {form.mayWrite ? (
        <AddName
          id={fieldId(section.path.join('.') === path ? path : section.path.join('.'))}
          names={names}
          onAdd={(name) => setAdded((previous) => [...previous, name])}
        />
      ) : null}
    </>
  );
}

/** Returns the names in the file, the names with unsaved changes and the names that were just added. */
function namesIn(section: Section, form: SettingsForm, added: readonly string[]): readonly string[] {
  const depth = section.path.length;
  const prefix = section.path.join('.');
  const changed = form.changedKeys
    .filter((key) => key.startsWith(`${prefix}.`))
    .map((key) => key.slice(prefix.length + 1))
    .filter((rest) => rest.split('.').length === (section.names?.settings[0]?.path.length ?? 0) - depth)
    .map((rest) => rest.split('.')[0] ?? '');
  return [...new Set([...section.settings.map(({ path }) => path[depth] ?? ''), ...changed, ...added])];
}

/** Returns the settings of the table with this name, including settings that aren't in the file. */
const settingsOf = ({ names, path: above }: Section, name: string, form: SettingsForm): Setting[] =>
  (names?.settings ?? []).map((one) => {
    const path = [...above, name, ...one.path.slice(above.length + 1)];
    return form.settingOf(path.join('.')) ?? { ...one, ...absent, path };
  });

function AddName({
  id,
  names,
  onAdd,
}: {
  id: string;
  names: NonNullable<Section['names']>;
  onAdd: (name: string) => void;
}) {
  const [text, setText] = useState('');
  const [isBad, setBad] = useState(false);
  const name = names.upperCase ? text.trim().toUpperCase() : text.trim();
  const label = t('settings.names-name', { placeholder: names.placeholder });
  return (
    <form
      className={classes.add}
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
        id={id}
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
        {t('settings.names-add', { placeholder: names.placeholder })}
      </Button>
    </form>
  );
}
