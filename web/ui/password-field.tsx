import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { t } from './text.ts';

/**
 * A password field with a button that shows the password and can be reached with the keyboard. The field supports
 * pasting and password managers.
 */
export function PasswordField(props: Omit<PasswordInputProps, 'visible' | 'onVisibilityChange'>) {
  const [visible, setVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      aria-invalid={props.error ? true : undefined}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleButtonProps={{
        'aria-label': visible ? t('ui.hide-password') : t('ui.show-password'),
        'aria-pressed': visible,
        tabIndex: 0,
      }}
    />
  );
}
