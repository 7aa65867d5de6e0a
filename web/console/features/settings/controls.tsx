/** The control for the value of a setting, depending on its type. */
import '@mantine/core/styles/Switch.layer.css';
import { ActionIcon, Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Setting, SettingValue } from './api.ts';
import classes from './field.module.css';
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

const commonOf = ({ id, isLocked, describedBy, fault }: ControlProps) =>
  ({
    id,
    disabled: isLocked,
    'aria-describedby': describedBy,
    // The message is beside the field, so only the state is passed on.
    error: fault !== undefined,
  }) as const;

function SwitchControl(props: ControlProps) {
  const { setting, value, onChange } = props;
  const isOn = value === null ? setting.default === 'true' : value === true;
  return (
    <Switch
      {...commonOf(props)}
      size="md"
      withThumbIndicator={false}
      classNames={{ track: classes.track }}
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
  const unset = { value: unsetChoice, label: t('settings.use-default') };
  const parse = (chosen: string): SettingValue | null => {
    if (chosen === unsetChoice) return null;
    return setting.type === 'boolean' ? chosen === 'true' : chosen;
  };
  return (
    <NativeSelect
      {...commonOf(props)}
      size="xs"
      value={value === null ? (hasDefault ? (setting.default ?? '') : unsetChoice) : String(value)}
      data={hasDefault ? [...choices] : [unset, ...choices]}
      onChange={(event) => onChange(parse(event.currentTarget.value))}
    />
  );
}

/** An option that isn't a value of any setting. */
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
            {...commonOf(props)}
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

const environmentName = /^[A-Z_][A-Z0-9_]*$/;

/** A secret is the name of an environment variable. Anything else is passed on, so that the server can explain it. */
function SecretControl(props: ControlProps) {
  const { value, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const name = /^env\((\w*)\)$/.exec(text)?.[1] ?? text;
  return (
    <TextInput
      {...commonOf(props)}
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
        if (written === '') onChange(null);
        else onChange(environmentName.test(written) ? `env(${written})` : written);
      }}
    />
  );
}

const placeholders = { duration: '1h30m', size: '50MiB', port: '' } as const;

function TextControl(props: ControlProps) {
  const { setting, value, onChange } = props;
  const { type, unit } = setting;
  const isNumber = type === 'integer' || type === 'port';
  const placeholder =
    props.placeholder ?? setting.default ?? placeholders[type as keyof typeof placeholders] ?? '';
  return (
    <div className={classes.row}>
      <TextInput
        {...commonOf(props)}
        className={isNumber || type === 'duration' || type === 'size' ? classes.short : classes.text}
        size="xs"
        autoComplete="off"
        spellCheck={false}
        inputMode={isNumber ? 'numeric' : 'text'}
        placeholder={placeholder}
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
