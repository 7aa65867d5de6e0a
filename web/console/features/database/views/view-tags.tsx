import { Tag } from '../../../components/tag.tsx';
import { t } from '../text.ts';
import type { ViewRow } from './api.ts';

/** The properties of a view, as tags. */
export function ViewTags({ view: { kind, security_invoker, populated, extension } }: { view: ViewRow }) {
  return (
    <>
      {kind === 'materialized view' ? <Tag tone="info">{t('views.materialized')}</Tag> : null}
      {kind === 'view' ? (
        <Tag
          tone={security_invoker ? 'plain' : 'warning'}
          title={t(security_invoker ? 'views.invoker-why' : 'views.definer-why')}
        >
          {t(security_invoker ? 'views.invoker' : 'routines.definer')}
        </Tag>
      ) : null}
      {populated ? null : <Tag tone="danger">{t('views.empty')}</Tag>}
      {extension === null ? null : <Tag>{extension}</Tag>}
    </>
  );
}
