import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.ts';
import classes from './library.module.css';
import { t } from './library-text.ts';
import type { Matcher, OpenQuery } from './library-types.ts';
import { templateGroups, templates } from './templates.ts';

/** Lists the templates that the operator can run, by group. */
export function TemplateList({ matches, onOpen }: { matches: Matcher; onOpen: OpenQuery }) {
  const { data: session } = useQuery(sessionQuery);
  const shown = templates.filter(
    ({ id, needs, text }) =>
      session?.operator.permissions.includes(needs) &&
      matches(t(`template.${id}`), t(`template.${id}.text`), text),
  );
  if (shown.length === 0) return <p className={classes.none}>{t('library.nothing')}</p>;
  return templateGroups.map((group) => {
    const own = shown.filter((each) => each.group === group);
    return own.length === 0 ? null : (
      <section key={group} className={classes.section}>
        <h2 className={classes.title}>{t(`template-group.${group}`)}</h2>
        <ul className={classes.list}>
          {own.map(({ id, text }) => (
            <li key={id} className={classes.entry}>
              <button
                type="button"
                className={classes.open}
                onClick={() => onOpen({ name: t(`template.${id}`), text })}
              >
                <span className={classes.name}>{t(`template.${id}`)}</span>
                <span className={classes.help}>{t(`template.${id}.text`)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
