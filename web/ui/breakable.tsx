import { Fragment } from 'react';

/** The places where a text can be wrapped: after an @, a dot or an underscore, but not in the domain of an address. */
const breaks = /(?<=@)|(?<=[._])(?=.*@)|(?<=^[^@]*[._])(?=[^@]*$)/;

/** Shows an address or a key that wraps if it's too long. */
export function Breakable({ text }: { text: string }) {
  return text.split(breaks).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text don't move
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
