import type { Home } from '../../api/types.ts';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { t } from '../../text.ts';
import { snippets } from './snippets.ts';

export const Connect = ({ home, table }: { home: Home; table: string }) => (
  <CodeTabs
    examples={snippets(home, table)}
    label={t('home.connect')}
    what={(name) => t('home.snippet', { name })}
  />
);
