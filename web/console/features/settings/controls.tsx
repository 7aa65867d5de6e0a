/** The control for the value of a setting, depending on its type. */
import '@mantine/core/styles/Switch.layer.css';
import { ActionIcon, Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { describedBy } from '../../../ui/described-by.tsx';
import { keyOf, type Setting, type SettingValue } from './api.ts';
import classes from './field.module.css';
import { useSettingsForm } from './form.ts';
import { t } from './text.ts';

interface ControlProps {
  readonly id: string;
  readonly setting: Setting;
  readonly value: SettingValue | null;
  readonly isLocked: boolean;
  readonly fault: string | undefined;
  readonly placeholder?: string | undefined;
  /** The IDs of the elements that describe the field. */
  readonly describedBy: string;
  readonly onChange: (value: SettingValue | null) => void;
}

/** A setting of any type accepts a reference to an environment variable, which requires a text field. */
const isReference = (value: SettingValue | null): boolean =>
  typeof value === 'string' && value.startsWith('env(');

export function Control(props: ControlProps): ReactNode {
  const { setting, value } = props;
  if (setting.type === 'secret') return <SecretControl {...props} />;
  if (isReference(value)) return <TextControl {...props} />;
  if (setting.type === 'boolean')
    return setting.default === 'true' || setting.default === 'false' ? (
      <SwitchControl {...props} />
    ) : (
      <ChoiceControl {...props} choices={booleanChoices()} />
    );
  if (setting.type === 'enum')
    return (
      <ChoiceControl
        {...props}
        choices={(setting.values ?? []).map((each) => ({
          value: each,
          label: setting.options?.[each] ?? each,
        }))}
      />
    );
  if (setting.type === 'list') return <ListControl {...props} />;
  return <TextControl {...props} />;
}

const commonOf = ({ id, isLocked, fault }: ControlProps) =>
  ({
    id,
    disabled: isLocked,
    // The message is shown next to the control, so the control only needs to know that there is an error.
    error: fault !== undefined,
  }) as const;

const fieldOf = (props: ControlProps) => ({ ...commonOf(props), ...describedBy(props.describedBy) });

function SwitchControl(props: ControlProps) {
  const { setting, value, onChange } = props;
  const isOn = value === null ? setting.default === 'true' : value === true;
  return (
    <Switch
      {...commonOf(props)}
      aria-describedby={props.describedBy}
      checked={isOn}
      label={<span aria-hidden>{t(isOn ? 'settings.on' : 'settings.off')}</span>}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

const booleanChoices = () => [
  { value: 'true', label: t('settings.on') },
  { value: 'false', label: t('settings.off') },
];

function ChoiceControl({
  choices,
  ...props
}: ControlProps & { choices: readonly { readonly value: string; readonly label: string }[] }) {
  const { setting, value, onChange } = props;
  const hasDefault = choices.some((choice) => choice.value === setting.default);
  const unset = {
    value: unsetChoice,
    label: t(setting.default === null ? 'settings.not-set' : 'settings.use-default'),
  };
  const parse = (chosen: string): SettingValue | null => {
    if (chosen === unsetChoice) return null;
    return setting.type === 'boolean' ? chosen === 'true' : chosen;
  };
  return (
    <NativeSelect
      {...fieldOf(props)}
      size="xs"
      value={value === null ? (hasDefault ? (setting.default ?? '') : unsetChoice) : String(value)}
      data={hasDefault ? [...choices] : [unset, ...choices]}
      onChange={(event) => onChange(parse(event.currentTarget.value))}
    />
  );
}

/** The value of the option that selects the default. No setting has this value. */
const unsetChoice = 'default';

function ListControl(props: ControlProps) {
  const { id, setting, value, isLocked, onChange } = props;
  const items = Array.isArray(value)
    ? (value as readonly string[])
    : (setting.default ?? '').split(', ').filter(Boolean);
  const replaced = (index: number, ...next: string[]): string[] => items.toSpliced(index, 1, ...next);
  return (
    <div className={classes.rows}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity besides their position
        <div key={index} className={classes.row}>
          <TextInput
            {...fieldOf(props)}
            id={index === 0 ? id : `${id}-${index}`}
            size="xs"
            aria-label={t('settings.item-of', { label: setting.label, index: index + 1 })}
            autoComplete="off"
            spellCheck={false}
            value={item}
            onChange={(event) => onChange(replaced(index, event.currentTarget.value))}
          />
          {isLocked ? null : (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('settings.remove-item', { label: setting.label, index: index + 1 })}
              onClick={() => onChange(replaced(index))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          )}
        </div>
      ))}
      {isLocked && items.length > 0 ? null : (
        <div>
          <Button
            id={items.length === 0 ? id : undefined}
            size="compact-xs"
            variant="default"
            disabled={isLocked}
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-label={t('settings.add-item-to', { label: setting.label })}
            onClick={() => onChange([...items, ''])}
          >
            {t('settings.add-item')}
          </Button>
        </div>
      )}
    </div>
  );
}

/**
 * The control of a secret. The control accepts a new value, which the server stores in `supabase/.env`, or the name of
 * an environment variable. Saved values are never shown.
 */
function SecretControl(props: ControlProps) {
  const { value, isLocked, setting } = props;
  const [isVariable, setVariable] = useState(
    typeof value === 'string' && value !== setting.value && reference.test(value),
  );
  return (
    <>
      {isVariable ? <VariableControl {...props} /> : <NewSecretControl {...props} />}
      {isLocked ? null : (
        <Button
          className={classes.start}
          size="compact-xs"
          variant="subtle"
          color="gray"
          aria-label={t(isVariable ? 'settings.secret-enter-of' : 'settings.secret-refer-of', {
            label: setting.label,
          })}
          onClick={() => setVariable(!isVariable)}
        >
          {t(isVariable ? 'settings.secret-enter' : 'settings.secret-refer')}
        </Button>
      )}
    </>
  );
}

const reference = /^env\((\w*)\)$/;

function NewSecretControl(props: ControlProps) {
  const { value, setting, onChange } = props;
  const form = useSettingsForm();
  const text = typeof value === 'string' && !reference.test(value) ? value : '';
  return (
    <TextInput
      {...fieldOf(props)}
      size="xs"
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      placeholder={setting.isSet ? t('settings.secret-replace') : ''}
      value={text}
      onChange={(event) => {
        const written = event.currentTarget.value;
        if (written === '') form.undo(keyOf(setting));
        else onChange(written);
      }}
    />
  );
}

function VariableControl(props: ControlProps) {
  const { value, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const name = reference.exec(text)?.[1] ?? '';
  return (
    <TextInput
      {...fieldOf(props)}
      size="xs"
      autoComplete="off"
      spellCheck={false}
      placeholder={t('settings.secret-placeholder')}
      leftSection={<code aria-hidden>env(</code>}
      leftSectionWidth="2.75rem"
      rightSection={<code aria-hidden>)</code>}
      value={name}
      onChange={(event) => {
        const written = event.currentTarget.value.trim();
        onChange(written === '' ? null : `env(${written.replaceAll(/\W/g, '')})`);
      }}
    />
  );
}

/** The number of characters that fit into a text field on a phone, and into a short field. */
const maxPlaceholder = 44;
const maxShortPlaceholder = 12;

function TextControl(props: ControlProps) {
  const { setting, value, onChange } = props;
  const { type, unit } = setting;
  const isNumber = type === 'integer' || type === 'port';
  const isShort = isNumber || type === 'duration' || type === 'size';
  const shown = props.placeholder ?? setting.default;
  // If the default doesn't fit, only the help text contains it.
  const fits =
    props.placeholder !== undefined ||
    (shown?.length ?? 0) <= (isShort ? maxShortPlaceholder : maxPlaceholder);
  return (
    <div className={classes.row}>
      <TextInput
        {...fieldOf(props)}
        className={isShort ? classes.short : classes.text}
        size="xs"
        autoComplete="off"
        spellCheck={false}
        inputMode={isNumber ? 'numeric' : 'text'}
        placeholder={fits ? (shown ?? '') : ''}
        value={value === null ? '' : String(value)}
        onChange={(event) => {
          const written = event.currentTarget.value;
          if (written === '') onChange(null);
          else onChange(isNumber && /^-?\d{1,15}$/.test(written) ? Number(written) : written);
        }}
      />
      {unit === undefined || type === 'size' ? null : <span className={classes.unit}>{unit}</span>}
    </div>
  );
}
