import { InputWrapperContext } from '@mantine/core';
import { type ReactNode, use, useMemo } from 'react';

/**
 * Returns the property that adds descriptions to a Mantine field, in addition to the field's own error and hint.
 * Without this property, Mantine would replace the field's `aria-describedby` (`Input` in Mantine 9.7).
 *
 * @example
 * <TextInput {...describedBy('page-intro')} />
 */
export const describedBy = (...ids: readonly string[]) => ({
  inputContainer: (field: ReactNode) => <Described ids={ids.join(' ')}>{field}</Described>,
});

function Described({ ids, children }: { ids: string; children: ReactNode }) {
  const wrapper = use(InputWrapperContext);
  const described = useMemo(
    () => ({ ...wrapper, describedBy: [wrapper.describedBy, ids].filter(Boolean).join(' ') }),
    [wrapper, ids],
  );
  return <InputWrapperContext value={described}>{children}</InputWrapperContext>;
}
