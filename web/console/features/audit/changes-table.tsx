/** The old and new values of an entry. */
import list from '../../components/list.module.css';
import classes from './page.module.css';
import type { RecordedChange } from './sentence.ts';
import { t } from './text.ts';

export function ChangesTable({ changes }: { changes: readonly RecordedChange[] }) {
  return (
    <table className={`${list.table} ${classes.changes}`}>
      <caption className="visually-hidden">{t('audit.changes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit.setting')}</th>
          <th scope="col">{t('audit.from')}</th>
          <th scope="col">{t('audit.to')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.name}>
            <th scope="row">
              <code>{change.name}</code>
            </th>
            {'hidden' in change ? (
              <td colSpan={2} className={list.dim}>
                {t(`audit.hidden-${change.hidden}`)}
              </td>
            ) : (
              <>
                <td>
                  <Value text={change.from} />
                </td>
                <td>
                  <Value text={change.to} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Value = ({ text }: { text: string | null }) =>
  text === null ? <span className={list.dim}>{t('audit.unset')}</span> : <code>{text}</code>;
