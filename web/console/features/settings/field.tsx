/** A setting with its description, its value and a button that restores the default. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { keyOf, type Setting, type SettingValue } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function SettingField({
  setting,
  value,
  isChanged,
  mayWrite,
  onChange,
}: {
  setting: Setting;
  /** The changed value, or null to restore the default. */
  value: SettingValue | null;
  isChanged: boolean;
  mayWrite: boolean;
  onChange: (value: SettingValue | null) => void;
}) {
  const name = setting.path.join('.');
  const id = `setting ${keyOf(setting)}`.replaceAll(' ', '-');
  const isSet = value !== null || (setting.isSet && !isChanged);
  return (
    <div className={classes.setting} data-changed={isChanged || undefined}>
      <div className={classes.words}>
        <label htmlFor={id}>
          <code>{name}</code>
        </label>
        <p id={`${id}-help`}>
          {setting.help}{' '}
          <span className={classes.default}>
            {setting.default === null
              ? t('settings.no-default')
              : t('settings.default', { value: setting.default })}
          </span>
        </p>
        {setting.restart === null ? null : (
          <p>{t('settings.restart-because', { reason: setting.restart })}</p>
        )}
        {setting.type === 'secret' && setting.isSet && value === null && !isChanged ? (
          <p className={classes.default}>{t('settings.secret')}</p>
        ) : null}
      </div>
      <div className={classes.control}>
        <Control id={id} setting={setting} value={value} disabled={!mayWrite} onChange={onChange} />
        {mayWrite && isSet ? (
          <button
            type="button"
            className={classes.reset}
            title={t('settings.unset')}
            aria-label={t('settings.unset-of', { name })}
            onClick={() => onChange(null)}
          >
            <IconArrowBackUp size={16} aria-hidden />
          </button>
        ) : null}
      </div>
    </div>
  );
}

function Control({
  id,
  setting: { type, values = [] },
  value,
  disabled,
  onChange,
}: {
  id: string;
  setting: Setting;
  value: SettingValue | null;
  disabled: boolean;
  onChange: (value: SettingValue | null) => void;
}) {
  const common = { id, disabled, size: 'xs', 'aria-describedby': `${id}-help` } as const;
  const text = value === null ? '' : String(value);
  // A setting of any type accepts a reference to an environment variable, which requires a text field.
  if ((type === 'boolean' || type === 'enum') && !text.startsWith('env(')) {
    const options =
      type === 'enum'
        ? values.map((each) => ({ value: each, label: each }))
        : [
            { value: 'true', label: t('settings.on') },
            { value: 'false', label: t('settings.off') },
          ];
    return (
      <NativeSelect
        {...common}
        value={text}
        data={[{ value: '', label: t('settings.use-default') }, ...options]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(chosen === '' ? null : type === 'boolean' ? chosen === 'true' : chosen);
        }}
      />
    );
  }
  if (type === 'list') {
    return (
      <Textarea
        {...common}
        autosize={false}
        rows={3}
        placeholder={t('settings.list')}
        value={Array.isArray(value) ? value.join('\n') : text}
        onChange={(event) => {
          const written = event.currentTarget.value;
          onChange(written === '' ? [] : written.split('\n'));
        }}
      />
    );
  }
  return (
    <TextInput
      {...common}
      autoComplete="off"
      spellCheck={false}
      placeholder={type === 'secret' ? 'env(NAME)' : ''}
      value={text}
      onChange={(event) => {
        const written = event.currentTarget.value;
        const isNumber = (type === 'integer' || type === 'port') && /^-?\d+$/.test(written);
        onChange(isNumber ? Number(written) : written);
      }}
    />
  );
}
