import { useEffect, useState } from 'react';
import { isAppAddress } from './account-api.ts';
import { hostOf, useFlow } from './flow.ts';
import { usePageConfig } from './page-config.ts';
import partClasses from './parts.module.css';
import { t } from './text.ts';

/** Links to the app that opened this page. If no app opened this page, links to the project's website. */
export function BackToApp() {
  const { redirectTo } = useFlow();
  const { brand } = usePageConfig();
  const [isKnown, setKnown] = useState(false);
  useEffect(() => {
    if (redirectTo !== undefined) isAppAddress(redirectTo).then(setKnown, () => setKnown(false));
  }, [redirectTo]);
  const address = isKnown ? redirectTo : brand.appUrl;
  const host = hostOf(address);
  if (address === undefined || host === undefined) return null;
  return (
    <p>
      <a className={partClasses.link} href={address}>
        {t('security.back', { name: brand.name, host })}
      </a>
    </p>
  );
}
