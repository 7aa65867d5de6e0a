import { Fragment } from 'react';
import classes from './parts.module.css';

/** Matches an email address, or a placeholder that the server replaces with an address or a name. */
const address =
  /([^\s\u2068\u2069«»“”]+@[^\s\u2068\u2069]*[\p{L}\p{N}]|%PLINTH_(?:EMAIL|ACCOUNT_NAME|FACT_EMAIL|LEFT)%)/u;

/**
 * A text whose email addresses aren't broken at a hyphen and are always written from left to right. An address that is
 * wider than the line can be broken at any character.
 */
export function WithAddresses(props: {
  text: string;
  /**
   * The address in the text, if the server inserts the address. The markup then doesn't depend on the form of the
   * address.
   */
  inserted?: string;
}) {
  const { text, inserted } = props;
  const parts = inserted
    ? text.split(inserted).flatMap((part, index) => (index === 0 ? [part] : [inserted, part]))
    : text.split(address);
  return parts.map((part, index) => {
    // The parts with an odd index are addresses.
    const key = `${index}${part}`;
    return index % 2 === 0 ? (
      <Fragment key={key}>{part}</Fragment>
    ) : (
      <bdi key={key} dir="ltr" className={classes.address}>
        {part}
      </bdi>
    );
  });
}
