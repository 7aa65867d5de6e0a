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
  const canRestore = setting.project?.isSet === true && !form.usesProject(key);
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
          {setting.project !== null && !isChanged ? <Tag>{t('settings.overrides')}</Tag> : null}
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
        {lock === undefined && (isChanged || isSet || canRestore) ? (
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
            {canRestore ? (
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={t('settings.use-project-of', { label })}
                onClick={() => form.restoreProject(setting)}
              >
                {t('settings.use-project')}
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

function Default({ setting, value }: { setting: Setting; value: string | null }) {
  if (value === null || (value === '' && setting.type !== 'enum')) return null;
  return <Words text={t('settings.default', { value: inWords(setting, value) })} />;
}

const inWords = ({ options, type }: Setting, value: string): string =>
  type === 'boolean'
    ? value.replace(/\b(true|false)\b/g, (word) => t(word === 'true' ? 'settings.on' : 'settings.off'))
    : (options?.[value] ?? value);

/** Returns what the project's file contains for a setting that the saved settings override. */
function projectNote(setting: Setting): string {
  const { value = null, isSet } = setting.project ?? { isSet: false };
  if (value === null) return t(isSet ? 'settings.project-hidden' : 'settings.project-unset');
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return t('settings.project-value', { value: inWords(setting, text) });
}

/** Explains the source of the value, who can change the value, and whether a change requires a restart. */
function Notes({
  setting,
  isChanged,
  lock,
}: {
  setting: Setting;
  isChanged: boolean;
  lock: 'role' | 'owner' | 'override' | undefined;
}) {
  const { restart, override, reference, type, isSet, value, project } = setting;
  const { savedIn } = useSettingsForm().data;
  const notes: string[] = [];
  if (project !== null) notes.push(projectNote(setting));
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
  if (type === 'secret' && isSet && value === null && !isChanged)
    notes.push(t(savedIn === 'project' ? 'settings.secret' : 'settings.secret-hidden'));
  if (type === 'secret' && lock === undefined) notes.push(t(`settings.secret-where-${savedIn}`));
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
