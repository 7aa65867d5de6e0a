/**
 * Shows a setting with its label, help, key and control, and the buttons that restore the saved value or the default.
 */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Breakable } from '../../../ui/breakable.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Tag } from '../../components/tag.tsx';
import { keyOf, type Setting } from './api.ts';
import { Control } from './controls.tsx';
import classes from './field.module.css';
import { fieldId, useSettingsForm } from './form.ts';
import { t } from './text.ts';
import { hintOf } from './units.ts';

/**
 * @param title The title of the card that contains the setting. If the label begins with the title, only the rest of
 * the label is visible.
 * @param placeholder The text that is shown while the setting isn't set. Defaults to the setting's default.
 */
export function SettingField({
  setting,
  title = '',
  placeholder,
}: {
  setting: Setting;
  title?: string | null;
  placeholder?: string | undefined;
}) {
  const { label } = setting;
  const form = useSettingsForm();
  const key = keyOf(setting);
  const id = fieldId(key);
  const value = form.valueOf(setting);
  const isChanged = form.isChanged(key);
  const fault = form.faultOf(key);
  const missing = form.missingFor(key);
  const lock = form.lockOf(setting);
  const text = value === null || Array.isArray(value) ? '' : String(value);
  const hint = text.startsWith('env(') ? undefined : hintOf(setting, text);
  const isSet = isChanged ? value !== null : setting.isSet;
  return (
    <div
      className={classes.field}
      data-changed={isChanged || undefined}
      data-target={form.target === key || undefined}
    >
      <div className={classes.words}>
        <div className={classes.head}>
          <label htmlFor={id}>{shortLabel(label, `${title}: `)}</label>
          {isChanged ? <Tag tone="info">{t('settings.changed')}</Tag> : null}
        </div>
        <p id={`${id}-help`}>
          <Words text={setting.help} /> <Default setting={setting} value={placeholder ?? setting.default} />
        </p>
        <Notes setting={setting} isChanged={isChanged} lock={lock} />
        <div className={classes.key}>
          <code>
            <Breakable text={key} />
          </code>
          <CopyButton value={key} what={key} />
          {setting.file === 'plinth.toml' ? <span>plinth.toml</span> : null}
        </div>
      </div>
      <div className={classes.side}>
        <Control
          id={id}
          setting={setting}
          value={value}
          isLocked={lock !== undefined}
          fault={fault}
          placeholder={placeholder}
          describedBy={[`${id}-fault`, `${id}-hint`, `${id}-help`].join(' ')}
          onChange={(next) => form.change(setting, next)}
        />
        <p id={`${id}-hint`} className={classes.hint}>
          {hint}
        </p>
        <p id={`${id}-fault`} className={classes.fault} role="status">
          {fault === undefined ? (
            missing.length > 0 && t('settings.also-set', { names: missing.join(', ') })
          ) : (
            <Words text={sentence(fault)} />
          )}
        </p>
        {lock === undefined && (isChanged || isSet) ? (
          <div className={classes.buttons}>
            {isChanged ? (
              <Button
                size="compact-xs"
                variant="subtle"
                aria-label={t('settings.undo-of', { label })}
                onClick={() => form.undo(key)}
              >
                {t('settings.undo')}
              </Button>
            ) : null}
            {isSet ? (
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={t('settings.unset-of', { label })}
                onClick={() => form.change(setting, null)}
              >
                {t('settings.unset')}
              </Button>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}

function shortLabel(label: string, prefix: string): ReactNode {
  if (!label.startsWith(prefix)) return label;
  const rest = label.slice(prefix.length);
  return (
    <>
      <span className="visually-hidden">{prefix}</span>
      {rest.charAt(0).toUpperCase() + rest.slice(1)}
    </>
  );
}

function Default({ setting: { options, type }, value }: { setting: Setting; value: string | null }) {
  if (value === null || (value === '' && type !== 'enum')) return null;
  const shown =
    type === 'boolean'
      ? value.replace(/\b(true|false)\b/g, (word) => t(word === 'true' ? 'settings.on' : 'settings.off'))
      : (options?.[value] ?? value);
  return <Words text={t('settings.default', { value: shown })} />;
}

/** Explains the source of the value, who can change the value, and whether a change requires a restart. */
function Notes({
  setting: { restart, override, reference, type, isSet, value },
  isChanged,
  lock,
}: {
  setting: Setting;
  isChanged: boolean;
  lock: 'role' | 'owner' | 'override' | undefined;
}) {
  const notes: string[] = [];
  if (override !== null)
    notes.push(
      override.variable === null
        ? t('settings.from-flag')
        : t('settings.from-environment', { name: override.variable }),
    );
  if (lock === 'owner') notes.push(t('settings.only-owners'));
  if (reference !== null && !isChanged)
    notes.push(
      t(reference.isSet ? 'settings.variable-set' : 'settings.variable-missing', { name: reference.name }),
    );
  if (type === 'secret' && isSet && value === null && !isChanged) notes.push(t('settings.secret'));
  if (type === 'secret' && lock === undefined) notes.push(t('settings.secret-where'));
  return (
    <>
      {restart === null ? null : <p>{t('settings.restart-because', { reason: restart })}</p>}
      {notes.map((note) => (
        <p key={note} className={classes.note}>
          {note}
        </p>
      ))}
    </>
  );
}

/** Shows text in which `backticks` mark code. */
export function Words({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text don't move
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}

/**
 * Converts an error from the configuration loader to a sentence. The loader's text continues a sentence that begins
 * with the key.
 */
const sentence = (fault: string): string =>
  `${fault.charAt(0).toUpperCase()}${fault.slice(1)}${/[.!?]$/.test(fault) ? '' : '.'}`;
