/** The persona picker, which is loaded when it is first opened. */
import { Suspense, useState } from 'react';
import { lazyPart } from '../lazy-part.ts';
import { PersonaButton } from './persona-button.tsx';

const PersonaPicker = lazyPart(async () => ({
  default: (await import('./persona-picker.tsx')).PersonaPicker,
}));

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
