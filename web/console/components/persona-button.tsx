/** The button that shows the persona and opens the picker, and a picker that is loaded when it is first opened. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronDown, IconEye } from '@tabler/icons-react';
import { type ComponentProps, Suspense, useState } from 'react';
import { lazyPart } from './lazy-part.ts';
import { parsePersona } from './persona.ts';
import { usePersonaName } from './persona-name.ts';
import classes from './persona-picker.module.css';
import { t } from './persona-text.ts';

const PersonaPicker = lazyPart(async () => ({
  default: (await import('./persona-picker.tsx')).PersonaPicker,
}));

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

/**
 * @example
 * <LazyPersonaPicker as={search.as} onChange={(as) => navigate({ search: (previous) => ({ ...previous, as }) })} />
 */
export function LazyPersonaPicker({
  as,
  onChange,
}: {
  as: string | undefined;
  onChange: (as: string | undefined) => void;
}) {
  const [isLoaded, setLoaded] = useState(false);
  const button = <PersonaButton as={as} onClick={() => setLoaded(true)} />;
  if (!isLoaded) return button;
  return (
    <Suspense fallback={button}>
      <PersonaPicker as={as} startsOpen onChange={onChange} />
    </Suspense>
  );
}
