import { IconCheck, IconCircle } from '@tabler/icons-react';
import { judgePassword, type PasswordRule } from './fields.ts';
import { usePageConfig } from './page-config.ts';
import classes from './password-rules.module.css';
import { t } from './text.ts';

function textOf(rule: PasswordRule, minLength: number): string {
  return rule === 'length' ? t('password.length', { count: minLength }) : t(`password.${rule}`);
}

/** The project's password rules, each checked off while the user types. */
export function PasswordRules({ password, id }: { password: string; id: string }) {
  const { password: policy } = usePageConfig();
  return (
    <div id={id} className={classes.box}>
      <p>{t('password.rules')}</p>
      <ul className={classes.list} data-list="password-rules">
        {judgePassword(password, policy).map(({ rule, met }) => (
          <li key={rule} className={classes.rule} data-met={met || undefined}>
            {met ? (
              <IconCheck size={16} stroke={2.25} aria-hidden />
            ) : (
              <IconCircle size={16} stroke={1.5} aria-hidden />
            )}
            {/* The server repeats the prerendered rule for each of the project's rules. */}
            <span>{import.meta.env.SSR ? '%PLINTH_RULE%' : textOf(rule, policy.minLength)}</span>
            <span className={classes.hidden}>{met ? t('password.met') : t('password.unmet')}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
