/** Shows the rules by which the project ends sessions. */
import { formatLocale, i18n } from '../../lib/i18n.ts';
import { usePageConfig } from '../page-config.ts';
import { t } from '../text.ts';
import classes from './security.module.css';

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in the largest unit that yields a whole number. */
function durationText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(formatLocale(i18n.locale), options).format(seconds / size);
}

export function SessionPolicy() {
  const { idleSeconds, timeboxSeconds, isSingle } = usePageConfig().sessions;
  const texts = [
    idleSeconds > 0 ? t('policy.idle', { time: durationText(idleSeconds) }) : '',
    timeboxSeconds > 0 ? t('policy.timebox', { time: durationText(timeboxSeconds) }) : '',
    isSingle ? t('policy.single') : '',
  ].filter((text) => text !== '');
  return texts.length === 0 ? null : <p className={classes.meta}>{texts.join(' ')}</p>;
}
