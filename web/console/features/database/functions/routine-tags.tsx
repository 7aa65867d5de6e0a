import { Tag } from '../../../components/tag.tsx';
import { t } from '../text.ts';
import type { RoutineRow } from './api.ts';

/** The properties of a function, as tags. */
export function RoutineTags({ routine }: { routine: RoutineRow }) {
  const { kind, security_definer, volatility, extension } = routine;
  return (
    <>
      {kind === 'function' ? null : <Tag tone="info">{t(`routines.kind-${kind}`)}</Tag>}
      {security_definer ? (
        <Tag tone="warning" title={t('routines.definer-why')}>
          {t('routines.definer')}
        </Tag>
      ) : null}
      {kind === 'procedure' ? null : <Tag>{t(`routines.${volatility}`)}</Tag>}
      {extension === null ? null : <Tag>{extension}</Tag>}
    </>
  );
}
