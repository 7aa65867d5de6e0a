import { Fragment } from 'react';

/** Shows an address or a key that, where it is too long, is wrapped after an @, a dot or an underscore. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[@._])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text don't move
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
