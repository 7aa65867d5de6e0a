import { type ReactNode, useEffect, useRef } from 'react';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';
import { WithAddresses } from './addresses.tsx';
import { useFocusKept } from './form/use-focus-kept.ts';
import { LanguageLinks } from './language-links.tsx';
import { usePageConfig } from './page-config.ts';
import classes from './shell.module.css';
import { type TextId, t } from './text.ts';

/** The ID of the text below the heading. The text describes the field that the page focuses. */
export const introId = 'page-intro';

/**
 * False while the first page is shown. The headings of later pages receive focus when the pages open, but the first
 * page's heading must not receive focus.
 */
let isLater = false;

export interface ShellProps {
  readonly page: Extract<TextId, `page.${string}`>;
  readonly intro?: ReactNode;
  /** Whether `intro` contains an address that is known only after the page is shown. Its space is then reserved. */
  readonly isIntroLate?: boolean;
  /** Wide pages contain several separate cards. */
  readonly wide?: boolean;
  /** Whether the page's code is loading. The page takes the focus after that, so that its heading is read only once. */
  readonly isLoading?: boolean;
  readonly children?: ReactNode;
}

/**
 * The frame of every page, with the brand, the heading, one card and the footer. The content starts at the top so that
 * it doesn't move while the rest of the page loads.
 */
export function Shell({
  page,
  intro,
  isIntroLate = false,
  wide = false,
  isLoading = false,
  children,
}: ShellProps) {
  const { brand } = usePageConfig();
  const heading = useRef<HTMLHeadingElement>(null);
  const main = useFocusKept<HTMLElement>();
  const title = t(page, { name: brand.name });
  useEffect(() => {
    document.title = t('page.title', { page: title, name: brand.name });
    if (isLoading) return;
    const fields = heading.current?.closest('main')?.querySelectorAll<HTMLInputElement>('[data-first]') ?? [];
    const first = [...fields].find(({ value }) => value === '') ?? fields[0];
    // The user may already have focused a field of the prerendered page.
    const isTyping = !isLater && document.activeElement !== document.body;
    if (first && !isTyping) first.focus();
    // If the address names a section, that section receives focus instead.
    else if (isLater && document.getElementById(window.location.hash.slice(1)) === null)
      heading.current?.focus();
    isLater = true;
  }, [title, brand.name, isLoading]);
  return (
    <div className={classes.shell}>
      <header className={classes.header}>
        <img className={classes.logo} src={brand.logo} alt="" />
        <span className={classes.name}>{brand.name}</span>
      </header>
      <main ref={main} className={wide ? classes.wide : classes.card}>
        <div className={classes.heading}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro === undefined && !isIntroLate ? null : (
            <p id={introId} className={isIntroLate ? `${classes.intro} ${classes.late}` : classes.intro}>
              {typeof intro === 'string' ? <WithAddresses text={intro} /> : intro}
            </p>
          )}
        </div>
        {children}
      </main>
      <footer className={classes.footer}>
        <FooterLink name="support" href={brand.supportUrl} text={t('footer.support')} />
        <FooterLink name="terms" href={brand.termsUrl} text={t('footer.terms')} />
        <FooterLink name="privacy" href={brand.privacyUrl} text={t('footer.privacy')} />
        <LanguageLinks />
        <SchemeSwitch />
      </footer>
    </div>
  );
}

/**
 * The server removes the links that the project hasn't configured (`keepLinks` in `src/pages/account/core/html.ts`).
 */
function FooterLink(props: { name: string; href: string | undefined; text: string }) {
  return props.href === undefined ? null : (
    <a data-link={props.name} href={props.href}>
      {props.text}
    </a>
  );
}
