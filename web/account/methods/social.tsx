/**
 * Links that sign users in with other providers, even without scripts. The prerendered page contains one link per list,
 * and the server repeats the link for each provider.
 */
import { Button } from '@mantine/core';
import { useFlow } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { wide } from '../parts.tsx';
import { t } from '../text.ts';
import { LastUsed } from './last-used.tsx';
import { Mark } from './mark.tsx';

/** `first` contains the providers that the sign-in page always shows, and `more` contains all other providers. */
export function SocialLinks({ list = 'all' }: { list?: 'all' | 'first' | 'more' }) {
  const { providers, shown, last } = usePageConfig();
  const { search } = useFlow();
  const listed = import.meta.env.SSR || list === 'all' ? providers : providersIn(list, providers, shown);
  return (
    <div className={classes.stack} data-part="social" data-list={`providers-${list}`}>
      {listed.map(({ id, name, mark }) => (
        <Button
          key={id}
          component="a"
          variant="default"
          size="md"
          fullWidth
          classNames={wide}
          href={`/account/with${search === '' ? '?' : `${search}&`}provider=${id}`}
          leftSection={<Mark svg={mark} />}
        >
          {t('sign-in.with', { provider: name })}
          {id === last ? <LastUsed /> : null}
        </Button>
      ))}
    </div>
  );
}

function providersIn<T>(list: 'first' | 'more', providers: readonly T[], shown: number): readonly T[] {
  return list === 'first' ? providers.slice(0, shown) : providers.slice(shown);
}
