/** Tabs for the user list, the SSO connections and the webhooks. */
import { Link } from '@tanstack/react-router';
import tabStyles from '../../components/frame/tabs.module.css';
import { t } from './text.ts';

export function UserTabs() {
  return (
    <nav className={tabStyles.tabs} aria-label={t('users.parts')}>
      <Link to="/users" className={tabStyles.tab} activeOptions={{ exact: true, includeSearch: false }}>
        {t('nav.users')}
      </Link>
      <Link to="/users/sso" className={tabStyles.tab} activeOptions={{ includeSearch: false }}>
        {t('sso.title')}
      </Link>
      <Link to="/users/webhooks" className={tabStyles.tab} activeOptions={{ includeSearch: false }}>
        {t('users.webhooks')}
      </Link>
    </nav>
  );
}
