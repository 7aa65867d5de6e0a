import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './back-link.module.css';
import { t } from './text.ts';

/** Links to the list of tables if the window is too narrow to show the list beside the table. */
export const BackLink = () => (
  <Link to="/tables" className={classes.back} aria-label={t('tables.back')}>
    <IconArrowLeft size={18} aria-hidden />
  </Link>
);
