/** GraphiQL's tabs, in the order in which they were opened (`web/build/graphiql-parts.ts`). */
import { type ComponentProps, createElement } from 'react';

interface GroupProps extends ComponentProps<'ul'> {
  axis?: 'x' | 'y';
  values?: readonly unknown[];
  onReorder?: (values: readonly unknown[]) => void;
}

interface ItemProps extends Omit<ComponentProps<'li'>, 'value'> {
  value?: unknown;
}

export const Reorder = {
  Group: ({ axis: _axis, values: _values, onReorder: _onReorder, ...props }: GroupProps) =>
    createElement('ul', props),
  Item: ({ value: _value, ...props }: ItemProps) => createElement('li', props),
};
