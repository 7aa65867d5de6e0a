import { useState } from 'react';
import classes from './consent.module.css';

/** Shows the app's logo, or the first letter of its name. The app's name is shown beside this component. */
export function AppMark({ name, logo }: { name: string; logo?: string | undefined }) {
  const [broken, setBroken] = useState(false);
  if (logo === undefined || broken) {
    return (
      <span className={classes.mark} aria-hidden>
        {Array.from(name.trim())[0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      className={classes.mark}
      src={logo}
      width={48}
      height={48}
      alt=""
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
