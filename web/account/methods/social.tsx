/**
 * Links for signing in with other providers. Links work without scripts. The prerendered page contains one link, and
 * the server repeats it for each provider.
 */
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useFlow } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { wide } from '../parts.tsx';
import { t } from '../text.ts';
import { Mark } from './mark.tsx';

const lastProviderKey = 'plinth-last-provider';

export function SocialLinks() {
  const { providers } = usePageConfig();
  const { search } = useFlow();
  const [last, setLast] = useState<string | null>(null);
  useEffect(() => setLast(localStorage.getItem(lastProviderKey)), []);
  // The provider that was used last in this browser comes first. Otherwise, the order is the server's.
  const ordered = providers.toSorted((one, other) => Number(other.id === last) - Number(one.id === last));
  return (
    <div className={classes.stack} data-part="social" data-list="providers">
      {ordered.map(({ id, name, mark }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          size="md"
          fullWidth
          classNames={wide}
          href={`/account/with${search === '' ? '?' : `${search}&`}provider=${id}`}
          onClick={() => localStorage.setItem(lastProviderKey, id)}
          leftSection={<Mark svg={mark} />}
        >
          {t('sign-in.with', { provider: name })}
        </Button>
      ))}
    </div>
  );
}
