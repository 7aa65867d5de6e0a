/**
 * Links for signing in with other providers. Links work without scripts. The prerendered page contains one link, and
 * the server repeats it for each provider.
 */
import { Button } from '@mantine/core';
import { useFlow } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { wide } from '../parts.tsx';
import { t } from '../text.ts';
import { Mark } from './mark.tsx';

export function SocialLinks() {
  const { providers } = usePageConfig();
  const { search } = useFlow();
  return (
    <div className={classes.stack} data-part="social" data-list="providers">
      {providers.map(({ id, name, mark }) => (
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
        </Button>
      ))}
    </div>
  );
}
