/** The section for the database's objects, with its own menu. In a narrow window, the menu is a row above the page. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sections } from './nav.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function DatabasePage() {
  return (
    <div className={classes.section}>
      <SectionMenu />
      <div className={classes.page}>
        <Outlet />
      </div>
    </div>
  );
}

function SectionMenu() {
  const menu = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has its own link
  useEffect(() => {
    menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <nav ref={menu} className={classes.menu} aria-label={t('nav.database')}>
      {sections.map(({ label, pages }) => (
        <div key={label} className={classes.group}>
          <span id={label} className={classes.label}>
            {t(label)}
          </span>
          <ul className={classes.links} aria-labelledby={label}>
            {pages.map((page) => (
              <li key={page.to}>
                <Link to={page.to} activeOptions={{ includeSearch: false }} className={classes.link}>
                  {t(page.label)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
