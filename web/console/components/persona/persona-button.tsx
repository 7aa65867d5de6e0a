/** The button that shows the persona and opens the picker. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronDown, IconEye } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { parsePersona } from './persona.ts';
import { usePersonaName } from './persona-name.ts';
import classes from './persona-picker.module.css';
import { t } from './persona-text.ts';

export function PersonaButton({
  as,
  ...props
}: { as: string | undefined } & ButtonProps & Pick<ComponentProps<'button'>, 'ref' | 'onClick'>) {
  const name = usePersonaName(as);
  return (
    <Button
      size="compact-sm"
      variant={parsePersona(as).kind === 'operator' ? 'default' : 'light'}
      leftSection={<IconEye size={15} aria-hidden />}
      rightSection={<IconChevronDown size={14} aria-hidden />}
      classNames={{ label: classes.label }}
      aria-label={t('persona.label', { name })}
      {...props}
    >
      {name}
    </Button>
  );
}
