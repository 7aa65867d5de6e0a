import { useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import classes from './scheme-switch.module.css';
import { t } from './text.ts';

const choices = [
  { value: 'light', Icon: IconSun, label: 'ui.scheme-light' },
  { value: 'auto', Icon: IconDeviceDesktop, label: 'ui.scheme-auto' },
  { value: 'dark', Icon: IconMoon, label: 'ui.scheme-dark' },
] as const;

const never = () => () => {};

/** A control with radio buttons for the color schemes `light`, `system` and `dark`. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // During prerendering and hydration, the user's choice isn't known.
  const known = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const current = known ? colorScheme : 'auto';
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{t('ui.scheme')}</legend>
      {choices.map(({ value, Icon, label }) => (
        <label key={value} className={classes.choice} title={t(label)}>
          <input
            type="radio"
            name="plinth-color-scheme"
            value={value}
            aria-label={t(label)}
            checked={current === value}
            onChange={() => setColorScheme(value)}
          />
          <Icon size={16} stroke={1.75} aria-hidden />
        </label>
      ))}
    </fieldset>
  );
}
